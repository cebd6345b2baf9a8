import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { projectRoot } from '../../../db/project-root.ts';

export type Outcome = {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type BuiltProgram = {
  /** The folder it is built in, and the working directory of its commands. */
  readonly folder: string;
  /** Runs the command line `countergraph …`. */
  run(parameters: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** The same in another working directory. */
  runIn(cwd: string, parameters: readonly string[]): Promise<Outcome>;
  /** Starts a module with this source, which may import built files as `./dist/db/…` and so on. */
  script(source: string, env?: Readonly<Record<string, string>>): Promise<ChildProcess>;
  remove(): Promise<void>;
};

/** What is installed of the program. */
const INSTALLED = ['package.json', 'bin', 'dist', 'migrations', 'schema', 'web'];

/** Temporary folders that builds and other tests make in dist, and may remove at any moment. */
const isTemporary = (path: string): boolean => /\/dist\/(\.|.*-\w{6}$)/.test(path);

let built: Promise<unknown> | null = null;

/** Copies the program as users install it, built from the current sources, to a new folder. */
export async function buildProgram(): Promise<BuiltProgram> {
  // Compiles only what is out of date: `npm test` has already built the program.
  built ??= promisify(execFile)(process.execPath, [join(projectRoot(), 'build', 'build.mjs')]);
  await built;
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-built-'));
  for (const name of INSTALLED) {
    await cp(join(projectRoot(), name), join(folder, name), {
      recursive: true,
      filter: (source) => !isTemporary(source),
    });
  }
  await symlink(join(projectRoot(), 'node_modules'), join(folder, 'node_modules'));
  const start = (file: string, parameters: readonly string[], env = {}, cwd = folder) =>
    spawn(process.execPath, [join(folder, file), ...parameters], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    folder,
    run: (parameters, env) => outcomeOf(start('dist/bundle/main.js', parameters, env)),
    runIn: (cwd, parameters) => outcomeOf(start('dist/bundle/main.js', parameters, {}, cwd)),
    script: async (source, env) => {
      const name = `script-${process.hrtime.bigint()}.js`;
      await writeFile(join(folder, name), source);
      return start(name, [], env);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** What a process printed, and its exit status. */
export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, status] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    ended,
  ]);
  return { status, stdout, stderr };
}
