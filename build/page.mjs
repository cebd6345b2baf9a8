import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { makeTemporaryFolder, replaceFolder } from './folders.mjs';
import { filesBelow, keepBuilt, ROOT } from './keep-built.mjs';
import { runProgram } from './run-program.mjs';

const TARGET = join(ROOT, 'dist', 'web');

/**
 * Builds the page into dist/web unless it is up to date, with compressed copies for clients that
 * accept them.
 */
export function buildPage() {
  keepBuilt({
    what: 'dashboard',
    stamp: 'dist/web.made-of.json',
    sources: [
      'web/src',
      'web/generated',
      'web/index.html',
      'web/vite.config.mjs',
      'web/tsconfig.json',
      'tsconfig.json',
      'docs',
      'package-lock.json',
      'build',
    ],
    outputs: () => ['dist/web'],
    build,
  });
}

function build() {
  const temporary = makeTemporaryFolder('web');
  const outDir = join(temporary, 'made');
  try {
    runProgram('node_modules/vite/bin/vite.js', [
      'build',
      'web',
      '--outDir',
      outDir,
      '--emptyOutDir',
      '--logLevel',
      'warn',
    ]);
    // A program of its own: what it imports need not be installed where the build is up to date.
    runProgram('build/help.mjs', [outDir]);
    for (const folder of ['assets', 'help'])
      filesBelow(join(outDir, folder)).filter(isText).forEach(compress);
    cpSync(join(ROOT, 'web', 'generated', 'documents.json'), join(outDir, 'documents.json'));
    // Move everything at once, so that a concurrent build or reader sees a complete folder.
    replaceFolder(outDir, TARGET, join(temporary, 'before'));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Pictures are compressed already. */
const isText = (file) => !file.endsWith('.png');

/** Compresses at the highest level: a file is written once and read many times. */
function compress(file) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
}
