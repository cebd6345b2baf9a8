import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  COLLECT_FORM,
  type CollectTarget,
  parseCollectTarget,
} from '../../domain/collect-target.ts';
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
        '--collect <context[=[host:]port]>',
        'fill a context with NetFlow, IPFIX and sFlow, by `collect` beside the server; repeatable, ' +
          'instead of COUNTERGRAPH_COLLECT',
      ).argParser(anotherTarget),
    )
    .addOption(
      new Option(
        '--no-migrate',
        'refuse to start if the database must be migrated, instead of migrating it',
      ),
    )
    .action(async ({ demo = false, documents = null, processes = null, ...given }: Given) => {
      // Loading the server takes half a second, which other commands should not have to wait for.
      const { serve } = await import('../serve.ts');
      const { migrate: migrates, collect = null } = given;
      await serve({ demo, documentsFile: documents, processes, collect, migrates });
    });
}

type Given = {
  demo?: boolean;
  documents?: string | null;
  processes?: number | null;
  collect?: CollectTarget[];
  migrate: boolean;
};

function anotherTarget(text: string, before: CollectTarget[] | undefined): CollectTarget[] {
  const target = parseCollectTarget(text);
  if (target !== null) return [...(before ?? []), target];
  throw new InvalidArgumentError(`It must be ${COLLECT_FORM}.`);
}
