import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { projectRoot } from '../db/project-root.ts';
import { registerAlerts } from './commands/alerts.ts';
import { registerApply } from './commands/apply.ts';
import { registerCompact } from './commands/compact.ts';
import { registerDistribute } from './commands/distribute.ts';
import { registerExport } from './commands/export.ts';
import { registerImport } from './commands/import.ts';
import { registerLabels } from './commands/labels.ts';
import { registerMigrate } from './commands/migrate.ts';
import { registerParity } from './commands/parity.ts';
import { registerRebuild } from './commands/rebuild.ts';
import { registerServe } from './commands/serve.ts';
import { registerSlices } from './commands/slices.ts';
import { registerUser } from './commands/user.ts';
import { registerVerify } from './commands/verify.ts';

/** Every command; each is declared by a file of its own in commands/. */
const COMMANDS: readonly ((program: Command) => void)[] = [
  registerServe,
  registerMigrate,
  registerApply,
  registerUser,
  registerSlices,
  registerImport,
  registerExport,
  registerLabels,
  registerAlerts,
  registerCompact,
  registerVerify,
  registerRebuild,
  registerDistribute,
  registerParity,
];

/** The command line `countergraph COMMAND …` (spec/operations.md, "Commands"). */
export function createProgram(): Command {
  const { description, version } = readPackage();
  const program = new Command('countergraph')
    .description(description)
    .version(version)
    // Throws instead of ending the process, with the mistake as its message; what is thrown is
    // reported in one place (report-failure.ts), so nothing is printed here but help.
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  for (const register of COMMANDS) {
    register(program);
  }
  return program;
}

function readPackage(): { description: string; version: string } {
  return JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
}
