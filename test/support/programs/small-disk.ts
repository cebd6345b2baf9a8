import { execFileSync, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { ServerUser } from '../../../postgres/server-user.ts';
import { makeTemporaryFolder } from '../database/test-server.ts';

/** A separate file system in memory, of a chosen size. */
export type SmallDisk = {
  readonly path: string;
  grow(megabytes: number): void;
  remove(): Promise<void>;
};

/** null: this process may not mount file systems. */
export async function mountSmallDisk(
  megabytes: number,
  user: ServerUser,
): Promise<SmallDisk | null> {
  const path = await makeTemporaryFolder();
  const owner = user ? `,uid=${user.uid},gid=${user.gid}` : '';
  const options = `size=${megabytes}m,mode=0700${owner}`;
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  if (status !== 0) {
    await rm(path, { recursive: true });
    return null;
  }
  // Lazily: a process that still has a file open there must not keep it mounted.
  const unmount = () => spawnSync('umount', ['-l', path]);
  process.once('exit', unmount);
  return {
    path,
    grow: (size) => execFileSync('mount', ['-o', `remount,size=${size}m`, path]),
    async remove() {
      unmount();
      process.off('exit', unmount);
      await rm(path, { recursive: true, force: true });
    },
  };
}
