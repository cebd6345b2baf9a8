import type { Command } from 'commander';
import { withConnection } from '../../db/connection/with-connection.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import { type ExporterSumsRow, selectExportersOf } from '../../db/sql/exporters.ts';
import { LIMITS } from '../../domain/limits.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { asTyped } from '../invocation.ts';
import { parseName } from '../option-values.ts';
import { exporterJson, exporterLines } from '../output/exporters-table.ts';

type ListOptions = { readonly context: string; readonly json?: true };

export function registerCollectList(collect: Command): void {
  collect
    .command('list')
    .description('show the exporters that collectors of a context have heard')
    .requiredOption('--context <name>', 'the context that is filled', parseName)
    .option('--json', 'print each exporter as a line of JSON')
    .action(list);
}

async function list({ context, json }: ListOptions): Promise<void> {
  const exporters = await selectOf(context);
  const lines = json ? exporters.map(exporterJson) : exporterLines(exporters);
  for (const line of lines) console.log(line);
  if (exporters.length === 0 && !json) console.log(noneText(context));
}

const selectOf = (context: string): Promise<ExporterSumsRow[]> =>
  withDatabase(({ url: databaseUrl, signal }) =>
    withConnection({ databaseUrl, signal }, 'exporters', async (connection) => {
      const { contextId } = await existingContext(connection, context);
      return selectExportersOf(connection, contextId, LIMITS.listedExporters);
    }),
  );

const noneText = (context: string): string =>
  asTyped(
    `Context ${context} has no exporters: run \`countergraph collect --context ${context}\`, and ` +
      'let routers send NetFlow, IPFIX or sFlow to it',
  );
