import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { filesBelow, keepBuilt, ROOT } from './keep-built.mjs';
import { runProgram } from './run-program.mjs';

const DIST = join(ROOT, 'dist');
const PROJECT = 'tsconfig.build.json';

/** Compiles and bundles the program into dist unless it is up to date. */
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
      'build/program.mjs',
      'build/run-program.mjs',
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
  mkdirSync(DIST, { recursive: true });
  const made = mkdtempSync(join(DIST, '.program-'));
  try {
    runProgram('node_modules/typescript/bin/tsc', ['-p', PROJECT, '--outDir', made]);
    for (const folder of folders) replaceFolder(join(made, folder), join(DIST, folder));
    // This file was the package's command up to 0.7.0, and npx keeps using the link that it created
    // then.
    chmodSync(join(DIST, 'cli', 'main.js'), 0o755);
    const bundle = join(made, 'bundle');
    runProgram('build/bundle.mjs', [bundle]);
    replaceFolder(bundle, join(DIST, 'bundle'));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function replaceFolder(made, target) {
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
  for (const name of relative(target)) if (!wanted.has(name)) rmSync(join(target, name));
}

const isSame = (file, other) => existsSync(other) && readFileSync(file).equals(readFileSync(other));
