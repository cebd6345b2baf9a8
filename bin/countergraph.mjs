#!/usr/bin/env node
// The command `countergraph`. In a checkout (`npx countergraph`, `npm run countergraph`) it builds
// the program first, where that is due; a published package has nothing to build.

import { existsSync } from 'node:fs';

const build = new URL('../build/build.mjs', import.meta.url);
if (existsSync(build)) await import(build);
await import('../dist/cli/main.js');
