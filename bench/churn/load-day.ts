import { createReadStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { databaseBytes, liveSegments, walBytes } from '../load/database-sizes.ts';
import type { OwnPostgres } from '../load/own-postgres.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, DECLARATION, GROUP, TOKEN, USER } from '../systems/declaration.ts';
import { type CommandFigures, measureCommand } from '../systems/measured-command.ts';
import { runCommand } from '../systems/product.ts';
import { type ChurnTotals, writeChurnRows, writeChurnSamples } from '../traffic/churn-files.ts';
import { type ChurnShape, churnSamples } from '../traffic/churn-traffic.ts';

export type DayLoad = {
  readonly samples: number;
  readonly import: CommandFigures & { readonly fileBytes: number; readonly walBytes: number };
  readonly copy: CopyFigures;
  readonly compact: CommandFigures;
  /** Of the segments that are left after merging. */
  readonly stored: { readonly bytes: number; readonly segments: number };
  /** Of the whole database: before there were samples, and with them. */
  readonly databaseBytes: { readonly empty: number; readonly full: number };
};

export type CopyFigures = { readonly seconds: number; readonly walBytes: number };

/** Imports the day by the product's own commands, and copies it into a table beside it. */
export async function loadDay(
  { url, folder, observer }: OwnPostgres,
  shape: ChurnShape,
): Promise<{ load: DayLoad; totals: ChurnTotals }> {
  await declare(url, folder);
  const empty = await databaseBytes(observer);
  const file = join(folder, 'samples.ndjson');
  showProgress('writing the samples to a file');
  const totals = await writeChurnSamples(file, shape, GROUP);
  const { size: fileBytes } = await stat(file);
  await observer.query('checkpoint');
  showProgress(`importing ${Math.round(fileBytes / 2 ** 20)} MB`);
  const walBefore = await walBytes(observer);
  const importing = ['import', '--context', CONTEXT, '--format', 'samples', '--json', file];
  const imported = await measureCommand(url, importing);
  const wal = (await walBytes(observer)) - walBefore;
  await rm(file);
  const copy = await copyRows({ url, folder, observer }, shape);
  showProgress('merging');
  const compact = await measureCommand(url, ['compact', '--context', CONTEXT, '--json']);
  const stored = await liveSegments(observer);
  const load: DayLoad = {
    samples: churnSamples(shape),
    import: { ...imported, fileBytes, walBytes: wal },
    copy,
    compact,
    stored,
    databaseBytes: { empty, full: await databaseBytes(observer) },
  };
  return { load, totals };
}

async function declare(url: string, folder: string): Promise<void> {
  const declaration = join(folder, 'declaration.json');
  await writeFile(declaration, JSON.stringify(DECLARATION));
  await runCommand(url, ['apply', declaration]);
  await runCommand(url, ['user', 'add', USER, '--token', TOKEN, '--context', CONTEXT]);
}

/**
 * As little as a table of samples can be: ids for keys, no text, and one index, in the order of the
 * rows, which is the fastest to fill.
 */
const TABLE = `
create table copied (
  key_id integer not null,
  bucket bigint not null,
  bytes bigint not null,
  packets bigint not null,
  connections bigint not null
)`;
const INDEX = 'create index on copied (bucket, key_id)';

async function copyRows(
  { url, folder, observer }: OwnPostgres,
  shape: ChurnShape,
): Promise<CopyFigures> {
  const file = join(folder, 'rows.txt');
  showProgress('writing the rows to a file');
  await writeChurnRows(file, shape);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(TABLE);
    await client.query(INDEX);
    await client.query('checkpoint');
    showProgress('copying the rows');
    const walBefore = await walBytes(observer);
    const started = performance.now();
    await pipeline(createReadStream(file), client.query(copyFrom('copy copied from stdin')));
    const seconds = (performance.now() - started) / 1000;
    const wal = (await walBytes(observer)) - walBefore;
    await client.query('drop table copied');
    return { seconds, walBytes: wal };
  } finally {
    await client.end();
    await rm(file);
  }
}
