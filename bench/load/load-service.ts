import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, DECLARATION, GROUP, TOKEN, USER } from '../systems/declaration.ts';
import { type CommandFigures, measureCommand } from '../systems/measured-command.ts';
import { hasSegments, type Product, runCommand, THIS_PRODUCT } from '../systems/product.ts';
import { writeRowFile, writeSampleFile } from '../traffic/sample-file.ts';
import type { TrafficShape } from '../traffic/traffic.ts';
import { type CopyFigures, copyRows } from './copy-rows.ts';
import { databaseBytes } from './database-sizes.ts';
import { sweepMerged } from './sweep-merged.ts';

export type ServiceToLoad = {
  readonly databaseUrl: string;
  readonly shape: TrafficShape;
  /** For files that go again. */
  readonly folder: string;
  readonly product?: Product;
  /** How many probes the samples come from (traffic/sample-file.ts). */
  readonly probes?: number;
  /** Whether the rows are also copied into a table beside it. */
  readonly copy?: boolean;
};

export type ServiceLoad = {
  readonly import: CommandFigures & { readonly fileBytes: number };
  readonly copy: CopyFigures | null;
  readonly tables: readonly StoredTable[];
  /** What the whole database has grown by, when all is merged and what was merged is swept. */
  readonly storedBytes: number;
};

/** A table with its indexes and partitions. bytes and rows are null where there is none. */
export type StoredTable = {
  readonly name: string;
  readonly bytes: number | null;
  readonly rows: number | null;
};

/** Fills a service's database through the product's own commands. */
export async function loadService(toLoad: ServiceToLoad): Promise<ServiceLoad> {
  const { databaseUrl, shape, folder, product = THIS_PRODUCT, copy = false } = toLoad;
  await declare(databaseUrl, folder, product);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const empty = await databaseBytes(client);
    const imported = await importSamples(toLoad, product);
    const copied = copy
      ? await copyRows({ url: databaseUrl, folder }, (file) => writeRowFile(file, shape))
      : null;
    if (hasSegments(product)) {
      showProgress('merging');
      await runCommand(databaseUrl, ['compact', '--context', CONTEXT], product);
      await sweepMerged(databaseUrl, product);
    }
    const tables = await settle(client);
    const storedBytes = (await databaseBytes(client)) - empty;
    return { import: imported, copy: copied, tables, storedBytes };
  } finally {
    await client.end();
  }
}

async function declare(databaseUrl: string, folder: string, product: Product): Promise<void> {
  const declaration = join(folder, 'declaration.json');
  await writeFile(declaration, JSON.stringify(DECLARATION));
  await runCommand(databaseUrl, ['apply', declaration], product);
  const user = ['user', 'add', USER, '--token', TOKEN, '--context', CONTEXT];
  await runCommand(databaseUrl, user, product);
}

async function importSamples(
  { databaseUrl, shape, folder, probes = 0 }: ServiceToLoad,
  product: Product,
): Promise<ServiceLoad['import']> {
  const file = join(folder, 'samples.ndjson');
  try {
    showProgress('writing the samples to a file');
    await writeSampleFile(file, shape, { group: GROUP, probes });
    const { size: fileBytes } = await stat(file);
    showProgress(`importing ${Math.round(fileBytes / 2 ** 20)} MB`);
    const importing = ['import', '--context', CONTEXT, '--format', 'samples', '--json', file];
    const figures = await measureCommand(databaseUrl, importing, { product });
    return { seconds: figures.seconds, usage: figures.usage, fileBytes };
  } finally {
    await rm(file, { force: true });
  }
}

const MEASURED_TABLES = ['sealed_segment_pages', 'segments', 'open_segment_pages', 'key_texts'];

/** Does now what the server's housekeeping would do during the measurements; gives the sizes. */
async function settle(client: pg.Client): Promise<StoredTable[]> {
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  const tables: StoredTable[] = [];
  for (const name of MEASURED_TABLES) tables.push(await measureTable(client, name));
  return tables;
}

async function measureTable(client: pg.Client, name: string): Promise<StoredTable> {
  const { rows } = await client.query<{ bytes: string | null }>(SELECT_BYTES, [name]);
  const bytes = rows[0]?.bytes ?? null;
  if (bytes === null) return { name, bytes: null, rows: null };
  const counted = await client.query<{ count: string }>(`select count(*) from ${name}`);
  return { name, bytes: Number(bytes), rows: Number(counted.rows[0]?.count) };
}

/** Null when there is no such table. A table without partitions is no tree. */
const SELECT_BYTES = `
select coalesce(
  (select sum(pg_total_relation_size(relid)) from pg_partition_tree(to_regclass($1))),
  pg_total_relation_size(to_regclass($1))
) as bytes`;
