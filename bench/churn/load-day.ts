import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CopyFigures, copyRows } from '../load/copy-rows.ts';
import { databaseBytes, liveSegments, walBytes } from '../load/database-sizes.ts';
import type { OwnPostgres } from '../load/own-postgres.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, DECLARATION, GROUP, TOKEN, USER } from '../systems/declaration.ts';
import { type CommandFigures, measureCommand } from '../systems/measured-command.ts';
import { type Product, runCommand } from '../systems/product.ts';
import { type ChurnTotals, writeChurnRows, writeChurnSamples } from '../traffic/churn-files.ts';
import { type ChurnShape, churnSamples } from '../traffic/churn-traffic.ts';

export type DayLoad = {
  readonly samples: number;
  readonly import: CommandFigures & { readonly fileBytes: number; readonly walBytes: number };
  readonly copy: CopyFigures;
  readonly compact: CommandFigures;
  /** The segments that remain after merging. */
  readonly stored: { readonly bytes: number; readonly segments: number };
  /** Size of the whole database, without and with the samples. */
  readonly databaseBytes: { readonly empty: number; readonly full: number };
};

/** Imports the day with the product's own commands, and copies the same rows into a table. */
export async function loadDay(
  { url, folder, observer }: OwnPostgres,
  shape: ChurnShape,
  product: Product,
): Promise<{ load: DayLoad; totals: ChurnTotals }> {
  await declare({ url, folder }, product);
  const empty = await databaseBytes(observer);
  const file = join(folder, 'samples.ndjson');
  showProgress('writing the samples to a file');
  const totals = await writeChurnSamples(file, shape, GROUP);
  const { size: fileBytes } = await stat(file);
  await observer.query('checkpoint');
  showProgress(`importing ${Math.round(fileBytes / 2 ** 20)} MB`);
  const walBefore = await walBytes(observer);
  const importing = ['import', '--context', CONTEXT, '--format', 'samples', '--json', file];
  const imported = await measureCommand(url, importing, { product });
  const wal = (await walBytes(observer)) - walBefore;
  await rm(file);
  const copy = await copyRows({ url, folder }, (rows) => writeChurnRows(rows, shape));
  showProgress('merging');
  const compacting = ['compact', '--context', CONTEXT, '--json'];
  const compact = await measureCommand(url, compacting, { product });
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

async function declare(
  { url, folder }: Pick<OwnPostgres, 'url' | 'folder'>,
  product: Product,
): Promise<void> {
  const declaration = join(folder, 'declaration.json');
  await writeFile(declaration, JSON.stringify(DECLARATION));
  await runCommand(url, ['apply', declaration], product);
  const user = ['user', 'add', USER, '--token', TOKEN, '--context', CONTEXT];
  await runCommand(url, user, product);
}
