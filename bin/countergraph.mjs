#!/usr/bin/env node
// The `countergraph` command. In a checkout (`npx countergraph`, `npm run countergraph`) it first
// builds the program if needed. A published package is already built.

import { existsSync } from 'node:fs';

const build = new URL('../build/build.mjs', import.meta.url);
if (existsSync(build)) await import(build);
await import('../dist/bundle/main.js');
