import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './keep-built.mjs';

const DIST = join(ROOT, 'dist');

/** The folder of a build, named after its process. */
const NAME = /^\.(?:program|web)-(\d+)$/;

/**
 * Makes an empty folder in dist for this build to write to. Removes those that killed builds have
 * left, and keeps those of builds that are running.
 */
export function makeTemporaryFolder(what) {
  mkdirSync(DIST, { recursive: true });
  for (const name of readdirSync(DIST)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isOfOther(Number(pid))) removeLeftover(join(DIST, name));
  }
  const folder = join(DIST, `.${what}-${process.pid}`);
  mkdirSync(folder);
  return folder;
}

/** A killed build may have had our number, as in a container. */
function isOfOther(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function removeLeftover(folder) {
  // The compiler of a killed build may still be writing there.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

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
