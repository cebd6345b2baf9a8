import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './keep-built.mjs';

/** Runs a package's program in the project root. Errors: the program failed after reporting why. */
export function runCompiler(program, parameters) {
  const file = join(ROOT, 'node_modules', program);
  const { status } = spawnSync(process.execPath, [file, ...parameters], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production' },
    // Standard output is reserved for the command that runs afterwards.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error('The build failed: see the errors above');
}
