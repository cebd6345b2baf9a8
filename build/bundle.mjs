// Bundles a compiled program, and the packages that it needs: Node takes longer to find, read and
// link two thousand files than most commands run (docs/adr/0004-compiled-before-run.md).
// Parameters: the folder of the compiled program, and the one to write to.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const [compiled, target] = process.argv.slice(2);

const { output } = await build({
  cwd: compiled,
  input: {
    main: 'cli/main.js',
    child: 'server/processes/child.js',
    importer: 'cli/importer.js',
    'merge-worker': 'server/background/merge-worker.js',
    'receiver-worker': 'ingest/collect/receiver-worker.js',
    'thread-pool-worker': 'engine/kernel/threads/thread-pool-worker.js',
  },
  platform: 'node',
  external: staysApart,
  output: {
    dir: target,
    // All in one folder: the program looks for the files of its threads and processes beside its own.
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  },
});

/** Whether a package is found where it is installed, when the program runs. */
function staysApart(name, importer = '') {
  // Users who want traces install these. Only the metrics need one of them in any case.
  if (name.startsWith('@opentelemetry/')) return !importer.includes('/node_modules/prom-client/');
  return name === 'pg-native';
}

writeFileSync(join(target, 'LICENSES.txt'), licencesOf(packagesIn(output)));

/** Returns the folders of the packages in the bundle. */
function packagesIn(chunks) {
  const modules = chunks.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Returns the text of each package's licence, or its name where the package has no text. */
function licencesOf(folders) {
  return folders.map(licenceOf).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${[`${name} ${version} (${license})`, ...texts].join('\n\n')}\n`;
}
