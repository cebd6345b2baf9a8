import { renameSync } from 'node:fs';

/** Moves a folder, unless a concurrent build has already put the same there. */
export function moveFolder(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
}
