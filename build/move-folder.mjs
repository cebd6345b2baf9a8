import { renameSync } from 'node:fs';

/** Moves a folder, unless a concurrent build has already put the same there. */
export function moveFolder(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
}

/**
 * Moves a folder to where another one is, which is first moved to `aside`. While files of it are
 * removed one by one, a concurrent build could move its own folder there.
 */
export function replaceFolder(from, to, aside) {
  try {
    renameSync(to, aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  moveFolder(from, to);
}
