import { statSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'countergraph-tests-';

const LEFTOVER_MS = 12 * 3600 * 1000;

/** A whole run needs a tenth of this. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Gives the run a folder for temporary files, and removes it with whatever tests left behind. It is
 * in memory if possible: hundreds of databases are created and dropped, and a disk's file system
 * takes as long for their files as the tests take for everything else.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const parent = (await isRoomy(MEMORY)) ? MEMORY : tmpdir();
  await removeLeftovers(parent);
  const folder = await mkdtemp(join(parent, PREFIX));
  // PostgreSQL does not run as root, so an unprivileged server must be able to enter.
  await chmod(folder, 0o755);
  process.env['TMPDIR'] = folder;
  return () => rm(folder, { recursive: true, force: true });
}

/** Whether a folder is in memory, may contain programs, and has enough room. */
async function isRoomy(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n');
  const mount = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === folder);
  const [, , type, options = ''] = mount ?? [];
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= ENOUGH_BYTES;
}

/** Removes this user's folders of runs that were killed: no run takes as long. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(parent, name);
    // Another run may have removed it.
    const stats = statSync(folder, { throwIfNoEntry: false });
    const isOld = stats && Date.now() - stats.mtimeMs > LEFTOVER_MS;
    if (isOld && stats.uid === process.getuid?.())
      await rm(folder, { recursive: true, force: true });
  }
}
