import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = dirname(import.meta.dirname);

/** Everything below a folder, in the order of the names; the path itself where it is a file. */
export function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Builds a part of dist, unless it is there and was made of what there is now. Nothing but content
 * decides, as the times of files say little after a checkout or a copy: a file, `stamp`, holds the
 * SHA-256 of the sources and of the outputs of the last build. So whatever is changed, added or
 * deleted on either side is built again.
 *
 * Paths are of files and folders, from the root of the project.
 */
export function keepBuilt({ what, stamp, sources, outputs, build }) {
  const made = readStamp(stamp);
  const before = { sources: digestOf(sources), packages: digestOf([INSTALLED]) };
  const hasCompilers = existsSync(join(ROOT, 'node_modules', 'typescript'));
  if (
    made.sources === before.sources &&
    made.outputs === digestOf(outputs) &&
    // Where the compilers were removed after the build, as for a deployment, it stays as it is.
    (made.packages === before.packages || !hasCompilers)
  ) {
    return;
  }
  if (!hasCompilers) {
    throw new Error('The program must be built, and the compilers are not installed: run `npm ci`');
  }
  console.error(`building the ${what} …`);
  build();
  const now = { ...before, outputs: digestOf(outputs) };
  // What was changed meanwhile is in it or not: then the next run builds again.
  if (digestOf(sources) === before.sources) writeStamp(stamp, now);
}

/** What npm has installed: after a change of package-lock.json it may not be that. */
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
    // Not there, or half written: nothing is known of what was built.
    return {};
  }
}

function writeStamp(name, content) {
  mkdirSync(dirname(join(ROOT, name)), { recursive: true });
  writeFileSync(join(ROOT, name), `${JSON.stringify(content)}\n`);
}
