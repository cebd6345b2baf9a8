import { createHash, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { access, chmod, constants, mkdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasCode } from '../domain/has-code.ts';
import { reasonOf } from '../domain/text/reason-of.ts';
import { findRunningServer } from './running-server.ts';
import { canEnter, giveTo, type ServerUser, serverUserFor } from './server-user.ts';

/** The paths of one embedded server, and the user it runs as. */
export type DataFolder = {
  readonly root: string;
  /**
   * Holds the database cluster and its password. Built elsewhere and renamed to this path when
   * complete.
   */
  readonly cluster: string;
  readonly pgdata: string;
  readonly passwordFile: string;
  readonly logFile: string;
  readonly lockFile: string;
  /** One file for each process that uses the server. */
  readonly holders: string;
  readonly user: ServerUser;
};

/** Holds files that the server's user cannot reach in their intended location. */
export const SYSTEM_DIR = '/var/lib/countergraph';

/**
 * Opens the folder for `dataDir`, creating it if needed. As root, it may be another folder, in
 * `systemDir` and named after `dataDir`: the unprivileged user that the server needs cannot enter a
 * checkout under a 0700 /root.
 */
export async function openDataFolder(dataDir: string, systemDir: string): Promise<DataFolder> {
  const intended = await canonicalPath(resolve(dataDir));
  requireFolder(intended);
  const user = await serverUserFor(folderAt(intended, undefined).pgdata);
  if (user === undefined) {
    await makeFolder(intended, user);
    await requireWritable(intended);
    return folderAt(intended, user);
  }
  const elsewhere = folderAt(elsewhereOf(intended, systemDir), user);
  // Data created there stays there, even if the user can meanwhile enter the intended folder.
  if (!existsSync(elsewhere.cluster)) {
    if (canEnter(nearestExisting(intended), user)) {
      await makeFolder(intended, user);
      return folderAt(intended, user);
    }
    const closed = folderAt(intended, user);
    if (existsSync(closed.cluster)) {
      await requireRunning(closed, user.uid);
      return closed;
    }
  }
  await makeFolder(elsewhere.root, user);
  return folderAt(elsewhere.root, await serverUserFor(elsewhere.pgdata));
}

/**
 * Returns the folder that holds the data of `dataDir`: the one in `systemDir` if root keeps the
 * data there, else `dataDir` itself; null if there is no data.
 */
export async function findData(
  dataDir: string,
  systemDir: string = SYSTEM_DIR,
): Promise<string | null> {
  const intended = await canonicalPath(resolve(dataDir));
  const places = [elsewhereOf(intended, systemDir), intended];
  return places.find((root) => existsSync(folderAt(root, undefined).cluster)) ?? null;
}

const elsewhereOf = (intended: string, systemDir: string): string =>
  join(systemDir, `data-${createHash('sha256').update(intended).digest('hex').slice(0, 16)}`);

/**
 * Throws unless a server is already running on the folder: it is then used through its port. This
 * lets root use the server of a service whose folder is private to it (`DynamicUser` of systemd).
 */
async function requireRunning({ root, pgdata }: DataFolder, uid: number): Promise<void> {
  if ((await findRunningServer(pgdata)) !== null) return;
  throw new Error(
    `The data in ${root} cannot be reached by uid ${uid}, which PostgreSQL must run as: start ` +
      'the service they belong to, give the folders above them permission x for others, or move them',
  );
}

/** Throws if `path` exists but is not a folder. */
function requireFolder(path: string): void {
  if (!existsSync(path) || statSync(path).isDirectory()) return;
  throw new Error(`${path} is not a folder: set COUNTERGRAPH_DATA_DIR to one, or to a new path`);
}

export function folderAt(root: string, user: ServerUser): DataFolder {
  const cluster = join(root, 'cluster');
  return {
    root,
    cluster,
    pgdata: join(cluster, 'pgdata'),
    passwordFile: join(cluster, 'password'),
    logFile: join(root, 'postgres.log'),
    lockFile: join(root, 'lock'),
    holders: join(root, 'holders'),
    user,
  };
}

/**
 * Creates the folder, private to the server's user from the moment that it has its name. Otherwise
 * another process that starts now would find a folder that it cannot enter yet, and keep its data
 * elsewhere.
 */
async function makeFolder(path: string, user: ServerUser): Promise<void> {
  if (existsSync(path)) {
    return;
  }
  await makeReachable(dirname(path));
  if (user === undefined) {
    await makeOne(path, 0o700);
    return;
  }
  const draft = `${path}.${randomUUID()}`;
  await makeOne(draft, 0o700);
  await giveTo(user, draft);
  try {
    await rename(draft, path);
  } catch (error) {
    // Another process was faster and is already using the folder.
    await rm(draft, { recursive: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) {
      throw error;
    }
  }
}

/** Creates a folder that every user can enter, whatever the umask. Leaves an existing one alone. */
export async function makeReachable(path: string): Promise<void> {
  if (!existsSync(path)) {
    await makeReachable(dirname(path));
    await makeOne(path, 0o755);
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path);
    // A separate call, because the mode of mkdir is subject to the umask.
    await chmod(path, mode);
  } catch (cause) {
    // Another process that starts at the same time may have been faster.
    if (!hasCode(cause, 'EEXIST')) {
      const reason = reasonOf(cause);
      throw new Error(`Cannot make the data folder (${reason}): set COUNTERGRAPH_DATA_DIR`, {
        cause,
      });
    }
  }
}

async function requireWritable(root: string): Promise<void> {
  try {
    await access(root, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `The data folder ${root} cannot be written to, perhaps because another user created it: ` +
        'make this user its owner, or set COUNTERGRAPH_DATA_DIR',
      { cause },
    );
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

/** Resolves symbolic links, so that a folder has one name however it is given. */
async function canonicalPath(path: string): Promise<string> {
  const there = nearestExisting(path);
  return join(await realpath(there), path.slice(there.length));
}
