import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { isCheckout, projectRoot } from '../../db/project-root.ts';
import { findData } from '../../postgres/data-folder.ts';

export type OtherData = {
  /** A folder from which commands use this database. */
  readonly folder: string;
  readonly data: string;
};

/**
 * Finds the embedded database that a user may mean who starts a command in another folder than
 * before, because `dataDir` is relative to the current folder. Searches the folders above it and
 * the checkout. Returns null if there is none, or if the current folder has one itself.
 */
export async function findOtherData(
  dataDir: string,
  cwd: string = process.cwd(),
  root: string = projectRoot(),
): Promise<OtherData | null> {
  if (isAbsolute(dataDir) || (await findData(join(cwd, dataDir))) !== null) return null;
  for (const folder of [...foldersAbove(cwd), ...(isCheckout(root) ? [root] : [])]) {
    const data = join(folder, dataDir);
    if ((await findData(data)) !== null) return { folder, data };
  }
  return null;
}

/**
 * Returns the checkout's settings file if commands in `cwd` do not read it: they read it only in
 * the checkout's folder. Returns null if they do, or if there is none.
 */
export function findUnreadSettings(
  cwd: string = process.cwd(),
  root: string = projectRoot(),
): string | null {
  const file = join(root, '.env');
  return isCheckout(root) && relative(root, cwd) !== '' && existsSync(file) ? file : null;
}

/** Lists the folders above `path`, from the nearest to the root of the file system. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
