import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './keep-built.mjs';

/**
 * Runs a program, named relative to the project root, in that folder. Errors: it failed after
 * reporting why.
 */
export function runProgram(file, parameters) {
  const { status } = spawnSync(process.execPath, [join(ROOT, file), ...parameters], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production' },
    // Standard output is reserved for the command that runs afterwards.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error('The build failed: see the errors above');
}
