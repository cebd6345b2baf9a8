// Builds the program and the page into dist, each only if dist is out of date. Every command in a
// checkout runs this first. `keep-built.mjs` explains how staleness is detected.
// With `--for-package`, dist then holds nothing that a package does not need to run.

import { buildPage } from './page.mjs';
import { buildProgram, removeFormerBundles } from './program.mjs';

try {
  buildProgram();
  buildPage();
  if (process.argv.includes('--for-package')) removeFormerBundles();
} catch (error) {
  console.error(`countergraph: ${error.message}`);
  process.exit(1);
}
