import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './keep-built.mjs';

const DIST = join(ROOT, 'dist');

/** The folder of a build. Until 1.5.0 the name ended in six random characters, or was `web.PID`. */
const NAME = /^(?:\.program-|\.web-|web\.)(\d+|\w{6})$/;

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
  if (!Number.isInteger(pid) || pid === process.pid) return false;
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
