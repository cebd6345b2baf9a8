import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from '../db/sync-folder.ts';
import type { Binaries } from './binaries.ts';
import { type DataFolder, folderAt } from './data-folder.ts';
import { serverEnvironment } from './server-options.ts';
import { giveTo } from './server-user.ts';

/** The cluster's superuser. Its password is stored next to the data. */
export const SUPERUSER = 'countergraph';

const DRAFT = 'new-';

const run = promisify(execFile);

/**
 * Creates the folder's cluster. Builds it in a draft folder and renames it when complete, so that
 * an existing cluster is never half finished.
 */
export async function initCluster(
  folder: DataFolder,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await removeDrafts(folder);
  const draft = folderAt(
    join(folder.root, `${DRAFT}${randomBytes(4).toString('hex')}`),
    folder.user,
  );
  for (const made of [draft.root, draft.cluster]) {
    await mkdir(made, { mode: 0o700 });
    await giveTo(folder.user, made);
  }
  try {
    await writePassword(draft);
    await runInitdb(draft, binaries, settings['fsync'] === 'off' ? ['--no-sync'] : []);
    await rename(draft.cluster, folder.cluster);
    await syncFolder(folder.root);
  } finally {
    await removeDrafts(folder);
  }
}

export const readPassword = async ({ passwordFile }: DataFolder): Promise<string> =>
  (await readFile(passwordFile, 'utf8')).trim();

/**
 * Removes all drafts, also those of a process that was killed, whose initdb may even still be
 * writing.
 */
async function removeDrafts({ root }: DataFolder): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(DRAFT)) {
      await rm(join(root, name), { recursive: true, force: true, maxRetries: 10 });
    }
  }
}

async function writePassword({ passwordFile, user }: DataFolder): Promise<void> {
  const file = await open(passwordFile, 'wx', 0o600);
  try {
    // base64url characters need no escaping in a URL.
    await file.writeFile(`${randomBytes(24).toString('base64url')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await giveTo(user, passwordFile);
}

async function runInitdb(
  { root, pgdata, passwordFile, user }: DataFolder,
  { initdb }: Binaries,
  more: readonly string[],
): Promise<void> {
  const options = [
    `--pgdata=${pgdata}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    // More iterations only protect passwords that can be guessed, and slow down each connection.
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    // Sorts by bytes, but knows upper and lower case beyond ASCII, which searches ignore.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...more,
  ];
  try {
    await run(initdb, options, { ...user, cwd: root, env: serverEnvironment() });
  } catch (cause) {
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : '';
    const reason = output.trim().split('\n').slice(-3).join('\n') || String(cause);
    const advice = reason.includes('could not look up effective user ID')
      ? '\nStart countergraph as a user that is in /etc/passwd, or set DATABASE_URL.'
      : '';
    throw new Error(`The embedded PostgreSQL could not be set up:\n${reason}${advice}`, { cause });
  }
}
