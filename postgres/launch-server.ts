import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../domain/has-code.ts';
import type { Binaries } from './binaries.ts';
import type { DataFolder } from './data-folder.ts';
import { endOrphans } from './orphans.ts';
import { processIdentity } from './process-identity.ts';
import { type RunningServer, waitUntilReady } from './running-server.ts';
import { serverArguments, serverEnvironment } from './server-options.ts';

/** Number of lines of the server's log that an error shows. */
const SHOWN_LINES = 5;

/**
 * Transient failures: another process took the free port in between, or the postmaster was killed
 * and the last of its children are only now noticing.
 */
const PASSING =
  /Address already in use|pre-existing shared memory block|lock file .* already exists/;
const PORT_TAKEN = /Address already in use/;
const PASSING_MS = 30_000;
const RETRY_MS = 200;

/** The port on which a server should listen; null: any. */
export type WantedPort = { readonly port: number; readonly orAnother: boolean } | null;

/** Starts the folder's server and waits until it takes connections. */
export async function launchServer(
  folder: DataFolder,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
  wanted: WantedPort = null,
): Promise<RunningServer> {
  const deadline = performance.now() + PASSING_MS;
  await keepPreviousLog(folder.logFile);
  let port = wanted?.port ?? (await findFreePort());
  for (;;) {
    await endOrphans(folder.pgdata);
    const child = await spawnServer(
      folder,
      binaries,
      serverArguments(folder.pgdata, port, settings),
    );
    const pid = child.pid ?? 0;
    const identity = processIdentity(pid);
    if (identity !== null && (await waitUntilReady(folder.pgdata, { pid, identity }))) {
      return { pid, identity, port };
    }
    const reason = await lastLines(folder.logFile);
    if (!PASSING.test(reason) || performance.now() > deadline) {
      throw new Error(`The embedded PostgreSQL did not start (${folder.logFile}):\n${reason}`);
    }
    if (PORT_TAKEN.test(reason) && wanted?.orAnother !== false) port = await findFreePort();
    await delay(RETRY_MS);
  }
}

/**
 * Starts the server in a process group of its own, so that Ctrl-C on the terminal reaches us and
 * not the server: we stop it ourselves, after the work in progress.
 */
async function spawnServer(
  { root, logFile, user }: DataFolder,
  { postgres }: Binaries,
  parameters: readonly string[],
): Promise<ChildProcess> {
  const log = await open(logFile, 'w', 0o600);
  try {
    const child = spawn(postgres, parameters, {
      ...user,
      cwd: root,
      env: serverEnvironment(),
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    // The server may outlive us, for another process that uses it.
    child.unref();
    await once(child, 'spawn');
    return child;
  } finally {
    await log.close();
  }
}

/** Keeps the previous log, so that a crash can still be investigated after the next start. */
async function keepPreviousLog(logFile: string): Promise<void> {
  try {
    await rename(logFile, `${logFile}.old`);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) {
      throw error;
    }
  }
}

async function findFreePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return text.trim().split('\n').slice(-SHOWN_LINES).join('\n');
}
