import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node takes graphql's "main" and Vite its "module": two copies that do not know each other's
  // errors. Everybody is to have Node's.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // The tests share one PostgreSQL server, and it is to keep up on a machine of two cores.
    maxWorkers: 2,
    // Most of a run would be importing the same modules anew for every file; no test changes them.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Conditions are waited for: a busy machine may take long, and only a failure costs this time.
    expect: { poll: { timeout: 30_000 } },
  },
});
