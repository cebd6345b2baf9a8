// Builds the program and the page into dist, each only if dist is out of date. Every command in a
// checkout runs this first. `keep-built.mjs` explains how staleness is detected.

import { buildPage } from './page.mjs';
import { buildProgram } from './program.mjs';

try {
  buildProgram();
  buildPage();
} catch (error) {
  console.error(`countergraph: ${error.message}`);
  process.exit(1);
}
