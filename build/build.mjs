// Builds the program and the page into dist, each only where dist does not hold what its sources
// make: every command of a checkout comes by here first. `keep-built.mjs` says how that is decided.

import { buildPage } from './page.mjs';
import { buildProgram } from './program.mjs';

try {
  buildProgram();
  buildPage();
} catch (error) {
  console.error(`countergraph: ${error.message}`);
  process.exit(1);
}
