import { readFile, realpath, statfs } from 'node:fs/promises';
import { sep } from 'node:path';
import { hasCode } from '../../domain/has-code.ts';

/** Total bytes, and bytes free for an ordinary user; type as the system names it (ext4, xfs …). */
type FileSystem = {
  readonly totalSize: bigint;
  readonly availSize: bigint;
  readonly type: string | null;
};

/** Returns the file system that holds `path`; null if this process cannot see it. */
export async function fileSystemAt(path: string): Promise<FileSystem | null> {
  try {
    const real = await realpath(path);
    const { bsize, blocks, bavail } = await statfs(real, { bigint: true });
    return { totalSize: bsize * blocks, availSize: bsize * bavail, type: await typeAt(real) };
  } catch (error) {
    if (isOutOfSight(error)) return null;
    throw error;
  }
}

const OUT_OF_SIGHT = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ESTALE', 'EIO'] as const;

const isOutOfSight = (error: unknown): boolean => hasCode(error, ...OUT_OF_SIGHT);

/** Reads the type from Linux's list of mounts: several types share the number from statfs. */
async function typeAt(realPath: string): Promise<string | null> {
  let mounts: string;
  try {
    mounts = await readFile('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (isOutOfSight(error)) return null;
    throw error;
  }
  let best = { length: -1, type: null as string | null };
  for (const line of mounts.split('\n')) {
    // proc(5): "… root mount-point options [optional fields] - type source options"
    const [left = '', right = ''] = line.split(' - ');
    const mountPoint = unescapeMount(left.split(' ')[4] ?? '');
    const type = right.split(' ')[0] ?? null;
    // A later mount on the same point hides the earlier one.
    if (holds(mountPoint, realPath) && mountPoint.length >= best.length) {
      best = { length: mountPoint.length, type };
    }
  }
  return best.type;
}

const holds = (mountPoint: string, path: string): boolean =>
  mountPoint !== '' &&
  (mountPoint === path || path.startsWith(mountPoint === sep ? sep : `${mountPoint}${sep}`));

/** Decodes spaces and similar characters, which are written as three octal digits. */
const unescapeMount = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
