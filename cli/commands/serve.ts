import { type Command, Option } from 'commander';
import { parseProcesses } from '../option-values.ts';

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('start the service, with its embedded PostgreSQL unless DATABASE_URL is set')
    .addOption(
      new Option('--demo', 'load the demo context into an embedded database that is still empty'),
    )
    .addOption(
      new Option(
        '--documents <file>',
        'trusted GraphQL documents, as JSON: {"<hash>": "<document>"}',
      ),
    )
    .addOption(
      new Option(
        '--processes <number>',
        'processes that answer requests at the same address, instead of COUNTERGRAPH_PROCESSES',
      ).argParser(parseProcesses),
    )
    .addOption(
      new Option(
        '--no-migrate',
        'refuse to start if the database must be migrated, instead of migrating it',
      ),
    )
    .action(async ({ demo = false, documents = null, processes = null, migrate }: Given) => {
      // Loading the server takes half a second, which other commands should not have to wait for.
      const { serve } = await import('../serve.ts');
      await serve({ demo, documentsFile: documents, processes, migrates: migrate });
    });
}

type Given = {
  demo?: boolean;
  documents?: string | null;
  processes?: number | null;
  migrate: boolean;
};
