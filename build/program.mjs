import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { filesBelow, keepBuilt, ROOT } from './keep-built.mjs';
import { moveFolder } from './move-folder.mjs';
import { runProgram } from './run-program.mjs';
import { makeTemporaryFolder } from './temporary-folder.mjs';

const DIST = join(ROOT, 'dist');
const PROJECT = 'tsconfig.build.json';

/** Compiles the program into dist, and bundles it in dist/bundle, unless it is up to date. */
export function buildProgram() {
  const folders = JSON.parse(readFileSync(join(ROOT, PROJECT), 'utf8')).include;
  keepBuilt({
    what: 'program',
    stamp: 'dist/program.made-of.json',
    sources: [
      ...folders,
      PROJECT,
      'tsconfig.json',
      'package.json',
      'package-lock.json',
      'build/build.mjs',
      'build/bundle.mjs',
      'build/keep-built.mjs',
      'build/move-folder.mjs',
      'build/program.mjs',
      'build/run-program.mjs',
      'build/temporary-folder.mjs',
    ],
    outputs: [...folders, 'bundle'].map((name) => `dist/${name}`),
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
    // This file was the package's command up to 0.7.0, and npx keeps using the link that it created
    // then.
    chmodSync(join(DIST, 'cli', 'main.js'), 0o755);
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
  const bundles = join(DIST, 'bundle');
  const name = nameOf(bundle);
  const before = bundleIn(bundles);
  mkdirSync(bundles, { recursive: true });
  const target = join(bundles, name);
  // One that was damaged since has another content than its name says.
  if (existsSync(target) && nameOf(target) !== name) rmSync(target, { recursive: true });
  moveFolder(bundle, target);
  mkdirSync(bundle, { recursive: true });
  for (const entry of ENTRIES) {
    writeFileSync(join(bundle, entry), `import './${name}/${entry}';\n`);
    renameSync(join(bundle, entry), join(bundles, entry));
  }
  // A concurrent build has made the same, and knows which one was before it.
  if (before === name) return;
  for (const other of readdirSync(bundles)) {
    if ([...ENTRIES, name, before].includes(other)) continue;
    rmSync(join(bundles, other), { recursive: true, force: true });
  }
}

/** What the program starts, for itself, for a process, and for threads. */
const ENTRIES = ['main.js', 'child.js', 'merge-worker.js', 'thread-pool-worker.js'];

/** The name of the folder that the entry files use; undefined before the first build. */
function bundleIn(bundles) {
  const main = join(bundles, 'main.js');
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
