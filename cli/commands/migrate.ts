import type { Command } from 'commander';
import type { Preparation } from '../database/prepare-database.ts';
import { withDatabase } from '../database/run-with-database.ts';

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the schema up to date, and say from and to which version')
    .option('--json', 'print the result as JSON')
    .action(async ({ json }: { json?: true }) => {
      // Every command migrates the database it opens; this one does nothing else.
      const preparation = await withDatabase(async (database) => database.preparation);
      console.log(json ? JSON.stringify(preparation) : sentence(preparation));
    });
}

function sentence({ from, to, applied }: Preparation): string {
  if (applied.length === 0) {
    return `The schema is up to date at version ${to}.`;
  }
  return `The schema was brought from version ${from} to version ${to}.`;
}
