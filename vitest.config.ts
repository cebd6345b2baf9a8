import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Spreads the tests of faults, which mostly wait, over the long ones at the beginning. Their files
 * are short and would be run last, when nothing else is left to do meanwhile.
 */
class WaitingTestsEarly extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWaiting = ({ moduleId }: TestSpecification) => moduleId.includes('/test/faults/');
    const waiting = sorted.filter(isWaiting);
    const others = sorted.filter((file) => !isWaiting(file));
    const spread = others.flatMap((file, index) =>
      index % 4 === 0 ? [...waiting.splice(0, 1), file] : [file],
    );
    return [...spread, ...waiting];
  }
}

export default defineConfig({
  // Node loads graphql's "main" and Vite its "module": two copies that do not recognize each
  // other's errors. All code must use Node's copy.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // They need programs of others: `npm run test:external`.
    exclude: ['test/**/*.external.test.ts'],
    globalSetup: [
      'test/support/files/temporary-folder.ts',
      'test/support/database/global-setup.ts',
    ],
    sequence: { sequencer: WaitingTestsEarly },
    pool: 'forks',
    // On two cores. With two workers a third of the time passes waiting for PostgreSQL and other
    // programs, with three a tenth, with four almost none.
    maxWorkers: 4,
    // Otherwise a run would mostly import the same modules again for every file. No test changes
    // them.
    isolate: false,
    execArgv: [
      // With V8's default, tests spend a fifteenth of their time copying what they just allocated.
      '--max-semi-space-size=64',
      // Optimizing what runs only briefly, and compiling it again, took a tenth of their time.
      '--no-flush-bytecode',
      // Later versions have no such option.
      ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : []),
    ],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A condition may take long on a busy machine, and only a failure costs this much time.
    expect: { poll: { timeout: 30_000 } },
  },
});
