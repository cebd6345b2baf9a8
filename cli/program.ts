import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { projectRoot } from '../db/project-root.ts';

type Register = (program: Command) => void;

/** Every command, in the order of the help. A file in commands/ declares each. */
const COMMANDS: ReadonlyMap<string, () => Promise<Register>> = new Map([
  ['serve', async () => (await import('./commands/serve.ts')).registerServe],
  ['migrate', async () => (await import('./commands/migrate.ts')).registerMigrate],
  ['apply', async () => (await import('./commands/apply.ts')).registerApply],
  ['user', async () => (await import('./commands/user.ts')).registerUser],
  ['audit', async () => (await import('./commands/audit.ts')).registerAudit],
  ['slices', async () => (await import('./commands/slices.ts')).registerSlices],
  ['import', async () => (await import('./commands/import.ts')).registerImport],
  ['collect', async () => (await import('./commands/collect.ts')).registerCollect],
  ['export', async () => (await import('./commands/export.ts')).registerExport],
  ['labels', async () => (await import('./commands/labels.ts')).registerLabels],
  ['alerts', async () => (await import('./commands/alerts.ts')).registerAlerts],
  ['compact', async () => (await import('./commands/compact.ts')).registerCompact],
  ['verify', async () => (await import('./commands/verify.ts')).registerVerify],
  ['rebuild', async () => (await import('./commands/rebuild.ts')).registerRebuild],
  ['distribute', async () => (await import('./commands/distribute.ts')).registerDistribute],
  ['parity', async () => (await import('./commands/parity.ts')).registerParity],
]);

/**
 * Creates the command line `countergraph COMMAND …` (docs/reference/commands.md).
 *
 * parameters: what the user typed. If it begins with a command, only that command is loaded,
 * because loading all takes longer than most commands run; for the version, none is. Anything else
 * is answered from all of them.
 */
export async function createProgram(parameters: readonly string[]): Promise<Command> {
  const { description, version } = readPackage();
  const program = new Command('countergraph')
    .description(description)
    .version(version)
    // Throws instead of ending the process, with the mistake as its message. Errors are reported in
    // one place (report-failure.ts), so nothing is printed here but help.
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeErr: () => undefined });
  for (const load of commandsFor(parameters[0] ?? '')) {
    const register = await load();
    register(program);
  }
  program
    .command('help [command]')
    .description('display help for command')
    .action(async (name?: string) => {
      await program.parseAsync(helpFor(name), { from: 'user' });
    });
  return program;
}

/** Returns what `help` stands for; a mistyped command is a mistake, as it is without `help`. */
function helpFor(name: string | undefined): string[] {
  if (name === undefined) return ['--help'];
  return COMMANDS.has(name) ? [name, '--help'] : [name];
}

function commandsFor(first: string): Iterable<() => Promise<Register>> {
  const asked = COMMANDS.get(first);
  if (asked) return [asked];
  return first === '--version' || first === '-V' ? [] : COMMANDS.values();
}

function readPackage(): { description: string; version: string } {
  return JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
}
