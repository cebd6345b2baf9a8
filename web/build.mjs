// Builds the page into dist/web, packed for those who take that. Where what lies there was made of
// the same files nothing is done: every command of a checkout comes by here first.

import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = import.meta.dirname;
const target = join(folder, '..', 'dist', 'web');
const STAMP = 'made-of.txt';

/** Below `within`, in the order of their names. */
const filesBelow = (within) =>
  readdirSync(within, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

function digestOfSources() {
  const sources = [
    ...['src', 'generated'].flatMap((name) => filesBelow(join(folder, name))),
    ...['index.html', 'vite.config.mjs', basename(import.meta.filename)].map((name) =>
      join(folder, name),
    ),
    join(folder, '..', 'package-lock.json'),
  ];
  const hash = createHash('sha256');
  for (const file of sources)
    hash.update(`${file.slice(folder.length)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function isMadeOf(digest) {
  try {
    return readFileSync(join(target, STAMP), 'utf8') === digest;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** As small as can be: this is done once, and read many times. */
function pack(file) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
}

/** Whoever else builds the same at the same time may have been quicker. */
function moveTo(outDir, digest) {
  try {
    renameSync(outDir, target);
  } catch (error) {
    if (!isMadeOf(digest)) throw error;
  }
}

async function build(digest) {
  // Only now: it takes longer to come in than all the rest.
  const { build: viteBuild } = await import('vite');
  const outDir = `${target}.${process.pid}`;
  try {
    await viteBuild({
      configFile: join(folder, 'vite.config.mjs'),
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    });
    for (const file of filesBelow(join(outDir, 'assets'))) pack(file);
    cpSync(join(folder, 'generated', 'documents.json'), join(outDir, 'documents.json'));
    writeFileSync(join(outDir, STAMP), digest);
    // In one move: whoever builds or reads at the same time finds all of it.
    rmSync(target, { recursive: true, force: true });
    moveTo(outDir, digest);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

const digest = digestOfSources();
if (!isMadeOf(digest)) await build(digest);
