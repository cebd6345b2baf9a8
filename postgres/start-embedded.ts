import { existsSync } from 'node:fs';
import { LIMITS } from '../domain/limits.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { type DataFolder, openDataFolder, SYSTEM_DIR } from './data-folder.ts';
import { withFolderLock } from './folder-lock.ts';
import { addHolder, liveHolders, removeHolder } from './holders.ts';
import { initCluster } from './init-cluster.ts';
import { keepRunning } from './keep-running.ts';
import { launchServer, type WantedPort } from './launch-server.ts';
import {
  findRunningServer,
  type RunningServer,
  recordedPort,
  stopServer,
  waitUntilReady,
} from './running-server.ts';
import { serverUrl, takesConnections } from './server-connection.ts';

export type EmbeddedOptions = {
  /** Folder for the data. As root, the data may be elsewhere (`openDataFolder`). */
  readonly dataDir: string;
  /** Receives lines for people about what is started, used and stopped. */
  readonly log?: (line: string) => void;
  /** Receives lines about what goes wrong while the server runs. */
  readonly warn?: (line: string) => void;
  /** PostgreSQL settings of a server that is started. They override our own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Folder that root uses for what the server's user could not reach otherwise. */
  readonly systemDir?: string;
  /** Restart the server at the same port if it dies. */
  readonly keep?: true;
};

export type EmbeddedServer = {
  /** Contains the password: do not log it. */
  readonly url: string;
  /** The folder that actually holds the data. */
  readonly dataDir: string;
  readonly port: number;
  /** Whether the server was already running. */
  readonly adopted: boolean;
  /** Whether this start created the data. */
  readonly created: boolean;
  /** Number of times the server died and was restarted (`keep`). */
  readonly restarts: () => number;
  /**
   * Stops using the server, and ends it unless another process uses it. May be called more than
   * once.
   */
  stop(): Promise<void>;
};

/** Longer than any process may hold the lock to create, start or stop a server. */
const LOCK_WAIT_MS = LIMITS.embeddedStartMs + LIMITS.embeddedStopMs;

/**
 * Starts a PostgreSQL server of our own from the binaries of an npm package, listening on loopback
 * only. Creates its data at the first start. Uses a server that is already running as it is.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, log = () => undefined, warn = log, settings = {} } = options;
  const { systemDir = SYSTEM_DIR } = options;
  const folder = await openDataFolder(dataDir, systemDir);
  const binaries = () => prepareBinaries(folder, systemDir);
  const place: Place = { folder, binaries, settings, log, warn };
  return withFolderLock(folder.lockFile, LOCK_WAIT_MS, async () => {
    // The port of a server that was killed. Reusing it lets the processes that still use the server
    // find it again.
    const port = existsSync(folder.pgdata) ? await recordedPort(folder.pgdata) : null;
    const running = await findUsableServer(folder);
    const created = running === null && !existsSync(folder.cluster);
    const holder = await addHolder(folder);
    try {
      const wanted = port === null ? null : { port, orAnother: true };
      const server = running ?? (await makeServer(place, wanted));
      const url = await serverUrl(folder, server);
      log(`${running ? 'using the running' : 'started the'} embedded PostgreSQL in ${folder.root}`);
      const revive = () => reviveServer(place, server.port);
      const keeper = options.keep ? keepRunning({ server, revive, warn }) : null;
      const end = async () => {
        await keeper?.stop();
        await leave(folder, holder, binaries, log);
      };
      let stopped: Promise<void> | undefined;
      const stop = () => (stopped ??= end());
      return {
        url,
        dataDir: folder.root,
        port: server.port,
        adopted: running !== null,
        created,
        stop,
        restarts: () => keeper?.restarts() ?? 0,
      };
    } catch (error) {
      await removeHolder(holder);
      if (running === null) {
        await stopIfRunning(folder, binaries);
      }
      throw error;
    }
  });
}

type Place = {
  readonly folder: DataFolder;
  readonly binaries: () => Promise<Binaries>;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  readonly warn: (line: string) => void;
};

/**
 * Restarts a server that died, at the same port, because its address is already known everywhere.
 * Another process that uses the server may have restarted it already. Throws if the folder's data
 * are gone, and leaves the folder alone.
 */
function reviveServer(
  place: Place,
  port: number,
): Promise<{ server: RunningServer; restarted: boolean }> {
  const { folder, log, warn } = place;
  warn(`the embedded PostgreSQL in ${folder.root} has died: starting it again`);
  return withFolderLock(folder.lockFile, LOCK_WAIT_MS, async () => {
    const running = await findUsableServer(folder);
    if (running !== null && running.port !== port) {
      throw new Error(
        `The embedded PostgreSQL in ${folder.root} was started by another process on port ` +
          `${running.port}, because ${port} was taken: restart this program to use it`,
      );
    }
    if (!existsSync(folder.cluster)) {
      throw new Error(`The data in ${folder.root} are gone: restore them, or restart this program`);
    }
    const server = running ?? (await makeServer(place, { port, orAnother: false }));
    log(`the embedded PostgreSQL in ${folder.root} is running again`);
    return { server, restarted: running === null };
  });
}

/**
 * Returns the running server if it accepts connections, else null. Waits until a server that is
 * just ending has ended.
 */
async function findUsableServer(folder: DataFolder): Promise<RunningServer | null> {
  const running = await findRunningServer(folder.pgdata);
  const usable =
    running !== null &&
    (await waitUntilReady(folder.pgdata, running)) &&
    (await takesConnections(folder, running));
  return usable ? running : null;
}

async function makeServer(
  { folder, binaries, settings, log }: Place,
  wanted: WantedPort,
): Promise<RunningServer> {
  const programs = await binaries();
  if (!existsSync(folder.cluster)) {
    log(`setting up an embedded PostgreSQL in ${folder.root}`);
    await initCluster(folder, programs, settings);
  }
  const server = await launchServer(folder, programs, settings, wanted);
  if (!(await takesConnections(folder, server))) {
    throw new Error(`The embedded PostgreSQL ended right after it started: see ${folder.logFile}`);
  }
  return server;
}

async function leave(
  folder: DataFolder,
  holder: string,
  binaries: () => Promise<Binaries>,
  log: (line: string) => void,
): Promise<void> {
  await withFolderLock(folder.lockFile, LOCK_WAIT_MS, async () => {
    await removeHolder(holder);
    const others = await liveHolders(folder);
    if (others.length > 0) {
      log(`left the embedded PostgreSQL running for process ${others.join(', ')}`);
      return;
    }
    if (await stopIfRunning(folder, binaries)) {
      log('stopped the embedded PostgreSQL');
    }
  });
}

async function stopIfRunning(
  { pgdata }: DataFolder,
  binaries: () => Promise<Binaries>,
): Promise<boolean> {
  const server = await findRunningServer(pgdata);
  if (server !== null) {
    await stopServer(server, binaries);
  }
  return server !== null;
}
