import { type Command, Option } from 'commander';
import type { Guid } from '../../domain/text/guid.ts';
import { LABEL_FORMATS, type LabelFormat, labelFile } from '../../ingest/labels/label-file.ts';
import type { LabelReport } from '../../ingest/labels/label-target.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { openSources } from '../open-sources.ts';
import { parseGroup, parseName } from '../option-values.ts';
import { count, counted } from '../output/counted.ts';
import { databaseFailure } from '../output/database-failure.ts';

type LabelOptions = { context: string; format: LabelFormat; group?: Guid; json?: true };

export function registerLabels(program: Command): void {
  program
    .command('labels')
    .description('label keys: each file as a whole or not at all')
    .argument('<file...>', 'files to read, also gzipped; - is standard input')
    .requiredOption('--context <name>', 'the context of the keys', parseName)
    .addOption(
      new Option(
        '--format <format>',
        'csv: key,label[,description]; zeek-dns: the names in the answers of a dns.log',
      )
        .choices(LABEL_FORMATS)
        .makeOptionMandatory(),
    )
    .option(
      '--group <guid>',
      'the only counter group to label; keys of a CSV file that it lacks are created',
      parseGroup,
    )
    .option('--json', 'print the result of each file as a line of JSON')
    .action(runLabels);
}

async function runLabels(files: string[], { json, ...options }: LabelOptions): Promise<void> {
  const sources = await openSources(files);
  await withDatabase(async ({ url, signal }) => {
    for (const source of sources) {
      const onWaiting = () =>
        console.error(`waiting for another import into ${options.context} to end`);
      const report = await labelFile({
        ...options,
        databaseUrl: url,
        source,
        signal,
        onWaiting,
      }).catch((error: unknown) => {
        throw databaseFailure(error, {
          undone: `${source.name}: no label of it was set`,
          unknown: `${source.name}: it is not known whether its labels were set`,
          again: 'label again',
        });
      });
      console.log(json ? JSON.stringify(report) : sentence(report, options.format));
    }
  });
}

function sentence(report: LabelReport, format: LabelFormat): string {
  const { source, labelled, unchanged, created, keptByUser, unknown } = report;
  const missing =
    format === 'csv'
      ? counted(unknown, 'key')
      : `${count(unknown)} answered ${unknown === 1 ? 'address' : 'addresses'}`;
  return (
    `${source}: ${counted(labelled, 'key')} labelled` +
    (created > 0 ? ` (${count(created)} of them new)` : '') +
    `, ${count(unchanged)} unchanged` +
    (keptByUser > 0 ? `, ${count(keptByUser)} kept the label a user gave` : '') +
    `, ${missing} not in the context`
  );
}
