import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/**
 * Everything that the bench uses of the built product. Built files have no types, so the types are
 * declared here, and check/product-types.ts compares them with the sources.
 */

/** The folder of a built checkout. */
export type Product = string;

/** The checkout that contains this bench, relative to bench/dist/systems, where this file runs. */
export const THIS_PRODUCT: Product = resolve(import.meta.dirname, '../../..');

export type EmbeddedServer = {
  readonly url: string;
  readonly dataDir: string;
  stop(): Promise<void>;
};

export type StartEmbedded = (options: {
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
}) => Promise<EmbeddedServer>;

export type RunningServer = {
  readonly url: string;
  close(): Promise<void>;
  /** Drops everything decoded. Missing in versions without such caches. */
  emptyCaches?(): void;
};

export type ServerModules<Settings, Log> = {
  readonly readSettings: (env: NodeJS.ProcessEnv) => Settings;
  readonly createLog: (level: 'warn', stream: NodeJS.WriteStream) => Log;
  readonly startServer: (options: {
    readonly settings: Settings;
    readonly databaseUrl: string;
    readonly log: Log;
    readonly explorer: { readonly credentials: null };
    /** delays null: the server itself never merges segments. */
    readonly merging?: { readonly delays: null };
  }) => Promise<RunningServer>;
};

/** Environment variables of the server under test. */
const SERVER_VARIABLES = {
  PORT: '0',
  COUNTERGRAPH_QUERY_TIMEOUT_SECONDS: '3600',
};

export const startEmbedded: StartEmbedded = async (options) => {
  const module: { startEmbedded: StartEmbedded } = await import(
    builtFile('postgres/start-embedded.js')
  );
  return module.startEmbedded(options);
};

export type ServerOptions = {
  /** Additional environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly merging?: { readonly delays: null };
  readonly product?: Product;
};

/** Starts the server in this process. */
export async function startServer(
  databaseUrl: string,
  { variables = {}, merging, product = THIS_PRODUCT }: ServerOptions = {},
): Promise<RunningServer> {
  const modules: ServerModules<unknown, unknown> = {
    ...(await import(builtFile(SETTINGS, product))),
    ...(await import(builtFile(LOG, product))),
    ...(await import(builtFile('server/start-server.js', product))),
  };
  return modules.startServer({
    settings: modules.readSettings({ ...SERVER_VARIABLES, ...variables }),
    databaseUrl,
    log: modules.createLog('warn', process.stderr),
    explorer: { credentials: null },
    ...(merging && { merging }),
  });
}

/** Loads a module of the built product. */
export const builtModule = async <Module>(
  name: string,
  product: Product = THIS_PRODUCT,
): Promise<Module> => (await import(builtFile(name, product))) as Module;

/** Returns the version in package.json and the folder. */
export async function productVersion(product: Product): Promise<string> {
  const file = await readFile(join(product, 'package.json'), 'utf8');
  const { version }: { version: string } = JSON.parse(file);
  return `${version} in ${product}`;
}

/** Returns the product's default settings, with any free port. */
export async function readSettings(): Promise<object> {
  const module = await builtModule<{ readSettings(env: object): object }>(SETTINGS);
  return module.readSettings({ PORT: '0' });
}

export async function silentLog(product: Product = THIS_PRODUCT): Promise<object> {
  type LogModule = { createLog(level: 'silent', stream: NodeJS.WriteStream): object };
  const module = await builtModule<LogModule>(LOG, product);
  return module.createLog('silent', process.stderr);
}

/** Runs `countergraph …` on a database in its own process. Returns its standard output. */
export async function runCommand(
  databaseUrl: string,
  parameters: readonly string[],
  product: Product = THIS_PRODUCT,
): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [builtFile(PROGRAM, product), ...parameters],
    commandSurroundings(databaseUrl),
  );
  return stdout;
}

export type CommandOptions = {
  /** Additional environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly product?: Product;
};

/** Starts a command without waiting for its exit. Its standard error is shown. */
export function spawnCommand(
  databaseUrl: string,
  parameters: readonly string[],
  { variables = {}, product = THIS_PRODUCT }: CommandOptions = {},
): ChildProcessByStdio<null, Readable, null> {
  const { cwd, env } = commandSurroundings(databaseUrl);
  return spawn(process.execPath, [builtFile(PROGRAM, product), ...parameters], {
    cwd,
    env: { ...env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Commands run outside this folder, whose .env may hold settings for another server. */
const commandSurroundings = (databaseUrl: string) => ({
  cwd: tmpdir(),
  env: { ...process.env, COUNTERGRAPH_DEMO: 'off', DATABASE_URL: databaseUrl },
});

const PROGRAM = 'bundle/main.js';
const SETTINGS = 'server/settings/settings.js';
const LOG = 'server/telemetry/log.js';

function builtFile(name: string, product: Product = THIS_PRODUCT): string {
  const file = pathOf(name, product);
  if (existsSync(file)) return file;
  throw new Error(`${file} is not there: run \`npm ci\` and \`npm run build\` in ${product}`);
}

const pathOf = (name: string, product: Product): string => join(product, 'dist', name);
