import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../database/test-server.ts';
import { freePort } from './free-port.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';

/** Debian's package pgbouncer, which `.ci/run` installs. */
export const hasPgBouncer = existsSync(PGBOUNCER);

export type PgBouncer = {
  /** The database's address through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
};

export type PgBouncerOptions = {
  readonly mode: 'session' | 'transaction';
  /** How many server processes serve all connections to a database. */
  readonly poolSize?: number;
  /** Whether to use them in rotation; otherwise the most recently used comes first. */
  readonly roundRobin?: boolean;
};

/** A PgBouncer between the test and its database. */
export async function startPgBouncer(
  databaseUrl: string,
  { mode, poolSize = 20, roundRobin = false }: PgBouncerOptions,
): Promise<PgBouncer> {
  const folder = await makeTemporaryFolder();
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const server = `host=${hostname} port=${serverPort} user=${username} password=${password}`;
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const settings = [
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    // Every client logs in as the user configured for the database.
    'auth_type = any',
    `pool_mode = ${mode}`,
    `default_pool_size = ${poolSize}`,
    `server_round_robin = ${Number(roundRobin)}`,
  ];
  await writeFile(
    file,
    ['[databases]', `* = ${server}`, '[pgbouncer]', ...settings, ''].join('\n'),
  );
  await chmod(file, 0o644);
  const stop = await start(file);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PgBouncer refuses to run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

async function start(file: string): Promise<() => Promise<void>> {
  const child = spawn(PGBOUNCER, [file], {
    ...UNPRIVILEGED,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes('process up')) break;
  }
  if (!said.includes('process up')) throw new Error(`PgBouncer did not start: ${said}`);
  // It would block once its unread output had filled the pipe.
  child.stderr.resume();
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}
