import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { isCheckout } from '../../db/command-form.ts';
import { findData } from '../../db/embedded/data-folder.ts';
import { projectRoot } from '../../db/project-root.ts';

export type OtherData = {
  /** A folder in which commands use these data. */
  readonly folder: string;
  readonly data: string;
};

/**
 * The embedded database that somebody may mean who starts a command in another folder than before,
 * as `dataDir` is relative to that: one of a folder above, or of the checkout. Null: there is none,
 * or this folder has one itself.
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

/** The settings of the checkout, which commands read only in its folder; null: they do, or none. */
export function findUnreadSettings(
  cwd: string = process.cwd(),
  root: string = projectRoot(),
): string | null {
  const file = join(root, '.env');
  return isCheckout(root) && relative(root, cwd) !== '' && existsSync(file) ? file : null;
}

/** From the nearest to the root of the file system. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
