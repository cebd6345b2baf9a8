import { spawnSync } from 'node:child_process';
import { chown, lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../domain/has-code.ts';

/** The user the server runs as; undefined: our own user. */
export type ServerUser = { readonly uid: number; readonly gid: number } | undefined;

/** `nobody`: initdb requires a user that /etc/passwd knows. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

/**
 * Returns the user to run the server as. PostgreSQL refuses to run as root. If we are root, the
 * server runs as the owner of the data, which may have been created without root before, or else as
 * the owner of the folder that will hold them, or else as an unprivileged user.
 */
export async function serverUserFor(pgdata: string): Promise<ServerUser> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const owner = await ownerOf(pgdata);
  if (owner) return owner.uid === 0 ? UNPRIVILEGED : owner;
  const future = await ownerOf(dirname(dirname(pgdata)));
  return future && future.uid !== 0 && hasName(future.uid) ? future : UNPRIVILEGED;
}

/** Returns null if the path does not exist. */
async function ownerOf(path: string): Promise<NonNullable<ServerUser> | null> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Whether /etc/passwd, or what stands in for it, knows a user: initdb fails otherwise. */
const hasName = (uid: number): boolean => spawnSync('id', ['-nu', String(uid)]).status === 0;

/**
 * Returns whether the user can enter a folder. It tries to, rather than evaluating modes: access
 * lists, mounts and user namespaces matter as well.
 */
export function canEnter(folder: string, user: ServerUser): boolean {
  if (user === undefined) {
    return true;
  }
  const tried = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...user, cwd: '/' });
  if (tried.error) {
    throw new Error(
      `Cannot run the embedded PostgreSQL as uid ${user.uid} (${tried.error.message}): ` +
        'start countergraph without root, or set DATABASE_URL',
    );
  }
  return tried.status === 0;
}

/** Gives one file or folder to the server's user. */
export async function giveTo(user: ServerUser, path: string): Promise<void> {
  if (user !== undefined) {
    await chown(path, user.uid, user.gid);
  }
}

/** Gives a folder and everything in it to the server's user. */
export async function giveTreeTo(user: ServerUser, folder: string): Promise<void> {
  if (user === undefined) {
    return;
  }
  await chown(folder, user.uid, user.gid);
  for (const entry of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, entry), user.uid, user.gid);
  }
}
