import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { prepareBinaries } from '../../../postgres/binaries.ts';
import { openDataFolder, SYSTEM_DIR } from '../../../postgres/data-folder.ts';
import { processIdentity } from '../../../postgres/process-identity.ts';
import { findRunningServer, stopServer, waitUntilReady } from '../../../postgres/running-server.ts';
import { serverArguments, serverEnvironment } from '../../../postgres/server-options.ts';
import { isRunning, killServer, postmasterPid } from '../programs/processes.ts';
import { CARELESS_SETTINGS, startTestServer } from './test-server.ts';

/** A test's own PostgreSQL server, whose address stays the same across restarts. */
export type BreakableServer = {
  readonly url: string;
  readonly dataDir: string;
  /** The pid of its postmaster. */
  pid(): Promise<number>;
  /** Cuts off the sessions; committed data are on disk. */
  stop(): Promise<void>;
  /** Kills postmaster and backends at once, as a power failure does. */
  kill(): Promise<void>;
  /** Kills only the postmaster, with SIGKILL: its backends notice by themselves. */
  killPostmaster(): Promise<void>;
  start(how?: StartOptions): Promise<void>;
  remove(): Promise<void>;
};

export type StartOptions = {
  readonly settings?: Readonly<Record<string, string>>;
  /** The maximum size of a file: beyond it, PostgreSQL fails to write, as on a full disk. */
  readonly fileBytes?: number;
};

/** A killed server must not lose a commit, so this one writes its WAL at every commit. */
const SETTINGS = { ...CARELESS_SETTINGS, synchronous_commit: 'on' };

export async function startBreakable(): Promise<BreakableServer> {
  const { url, dataDir, port, remove } = await startTestServer(SETTINGS);
  const folder = await openDataFolder(dataDir, SYSTEM_DIR);
  const binaries = () => prepareBinaries(folder, SYSTEM_DIR);
  const pid = () => postmasterPid(dataDir);
  return {
    url,
    dataDir,
    pid,
    remove,
    async stop() {
      const running = await findRunningServer(folder.pgdata);
      if (running) await stopServer(running, binaries);
    },
    async kill() {
      const postmaster = await pid();
      killServer(postmaster);
      while (isRunning(postmaster)) await delay(5);
    },
    async killPostmaster() {
      const postmaster = await pid();
      process.kill(postmaster, 'SIGKILL');
      while (isRunning(postmaster)) await delay(5);
    },
    async start({ settings = {}, fileBytes }: StartOptions = {}) {
      const { postgres } = await binaries();
      const options = serverArguments(folder.pgdata, port, { ...SETTINGS, ...settings });
      const command = [postgres, ...options];
      const limited = ['sh', '-c', `ulimit -f ${(fileBytes ?? 0) / 512}; exec "$0" "$@"`];
      const [file = '', ...parameters] = fileBytes ? [...limited, ...command] : command;
      const log = await open(folder.logFile, 'a');
      try {
        // Until the backends of a killed postmaster notice, they keep another from starting.
        while (!(await tryToStart(file, parameters))) await delay(100);
      } finally {
        await log.close();
      }

      async function tryToStart(program: string, given: readonly string[]): Promise<boolean> {
        const child = spawn(program, given, {
          ...folder.user,
          cwd: folder.root,
          env: serverEnvironment(),
          detached: true,
          stdio: ['ignore', log.fd, log.fd],
        });
        child.unref();
        await once(child, 'spawn');
        const started = child.pid ?? 0;
        const identity = processIdentity(started);
        return identity !== null && waitUntilReady(folder.pgdata, { pid: started, identity });
      }
    },
  };
}
