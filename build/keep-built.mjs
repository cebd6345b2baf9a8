import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = dirname(import.meta.dirname);

/** Lists all files below a folder, sorted by path. For a file, returns its own path. */
export function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Builds a part of dist unless it is up to date. Only content decides, because file times mean
 * little after a checkout or a copy. The `stamp` file holds the SHA-256 of the sources and of the
 * outputs of the last build, so a file changed, added or deleted on either side triggers a new
 * build.
 *
 * Paths name files and folders, relative to the project root. `outputs` returns those that exist by
 * then.
 */
export function keepBuilt({ what, stamp, sources, outputs, build }) {
  const made = readStamp(stamp);
  const before = { sources: digestOf(sources), packages: digestOf([INSTALLED]) };
  const hasCompilers = existsSync(join(ROOT, 'node_modules', 'typescript'));
  if (
    made.sources === before.sources &&
    made.outputs === digestOfOutputs(outputs()) &&
    // If the compilers were removed after the build, as for a deployment, keep the existing build.
    (made.packages === before.packages || !hasCompilers)
  ) {
    return;
  }
  if (!hasCompilers) {
    throw new Error('The program must be built, and the compilers are not installed: run `npm ci`');
  }
  console.error(`building the ${what} …`);
  build();
  const now = { ...before, outputs: digestOfOutputs(outputs()) };
  // If sources changed during the build, it may or may not include the changes: leave the stamp
  // alone so that the next run builds again.
  if (now.outputs !== null && digestOf(sources) === before.sources) writeStamp(stamp, now);
}

/** null: a concurrent build is just removing some of them. */
function digestOfOutputs(outputs) {
  try {
    return digestOf(outputs);
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** The record of what npm has installed, which may lag behind package-lock.json. */
const INSTALLED = 'node_modules/.package-lock.json';

function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.filter((name) => existsSync(join(ROOT, name)))) {
    for (const file of filesBelow(join(ROOT, path))) {
      const content = readFileSync(file);
      hash.update(`${file.slice(ROOT.length)}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

function readStamp(name) {
  try {
    return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
  } catch {
    // Missing or half written: nothing is known about the last build.
    return {};
  }
}

function writeStamp(name, content) {
  mkdirSync(dirname(join(ROOT, name)), { recursive: true });
  writeFileSync(join(ROOT, name), `${JSON.stringify(content)}\n`);
}
