import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { makeTemporaryFolder, moveFolder } from './folders.mjs';
import { filesBelow, keepBuilt, ROOT } from './keep-built.mjs';
import { runProgram } from './run-program.mjs';

const DIST = join(ROOT, 'dist');
const BUNDLES = join(DIST, 'bundle');
const PROJECT = 'tsconfig.build.json';

/** Compiles the program into dist, and bundles it in dist/bundle, unless it is up to date. */
export function buildProgram() {
  const folders = JSON.parse(readFileSync(join(ROOT, PROJECT), 'utf8')).include;
  keepBuilt({
    what: 'program',
    stamp: 'dist/program.made-of.json',
    sources: [...folders, PROJECT, 'tsconfig.json', 'package.json', 'package-lock.json', 'build'],
    outputs: () =>
      [...folders, ...ENTRIES.map((name) => `bundle/${name}`), `bundle/${currentBundle()}`].map(
        (name) => `dist/${name}`,
      ),
    build: () => compile(folders),
  });
}

/**
 * Compiles everything into a temporary folder, then moves each file that differs into place. Files
 * that another process is about to load are always complete, and outputs without a source are
 * removed.
 */
function compile(folders) {
  const made = makeTemporaryFolder('program');
  try {
    runProgram('node_modules/typescript/bin/tsc', ['-p', PROJECT, '--outDir', made]);
    const bundle = join(made, 'bundle');
    runProgram('build/bundle.mjs', [made, bundle]);
    for (const folder of folders) replaceFiles(join(made, folder), join(DIST, folder));
    useBundle(bundle);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/**
 * Moves a bundle into place, under a name of its own, and then lets the entry files use it. The one
 * before it stays until the next build: a program that is starting may still load parts of it.
 */
function useBundle(bundle) {
  const name = nameOf(bundle);
  const before = currentBundle();
  mkdirSync(BUNDLES, { recursive: true });
  const target = join(BUNDLES, name);
  // One that was damaged since has another content than its name says.
  if (existsSync(target) && nameOf(target) !== name) rmSync(target, { recursive: true });
  moveFolder(bundle, target);
  mkdirSync(bundle, { recursive: true });
  for (const entry of ENTRIES) {
    writeFileSync(join(bundle, entry), `import './${name}/${entry}';\n`);
    renameSync(join(bundle, entry), join(BUNDLES, entry));
  }
  // A concurrent build has made the same, and knows which one was before it.
  if (before !== name) removeBundlesBut([name, before]);
}

/** Removes the bundle before the current one, which a package need not have. */
export function removeFormerBundles() {
  removeBundlesBut([currentBundle()]);
}

function removeBundlesBut(kept) {
  for (const other of readdirSync(BUNDLES)) {
    if ([...ENTRIES, ...kept].includes(other)) continue;
    rmSync(join(BUNDLES, other), { recursive: true, force: true });
  }
}

/** What the program starts, for itself, for a process, and for threads. */
const ENTRIES = [
  'main.js',
  'child.js',
  'importer.js',
  'merge-worker.js',
  'receiver-worker.js',
  'thread-pool-worker.js',
];

/** The name of the folder that the entry files use; undefined before the first build. */
function currentBundle() {
  const main = join(BUNDLES, 'main.js');
  return existsSync(main) ? /'\.\/(\w+)\//.exec(readFileSync(main, 'utf8'))?.[1] : undefined;
}

/** Names a bundle by its content. */
function nameOf(folder) {
  const hash = createHash('sha256');
  for (const file of filesBelow(folder))
    hash.update(file.slice(folder.length)).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function replaceFiles(made, target) {
  const relative = (folder) =>
    existsSync(folder) ? filesBelow(folder).map((file) => file.slice(folder.length + 1)) : [];
  const names = relative(made);
  for (const name of names) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    if (!isSame(join(made, name), join(target, name))) {
      renameSync(join(made, name), join(target, name));
    }
  }
  const wanted = new Set(names);
  const outdated = relative(target).filter((name) => !wanted.has(name));
  for (const name of outdated) rmSync(join(target, name), { force: true });
}

const isSame = (file, other) => existsSync(other) && readFileSync(file).equals(readFileSync(other));
