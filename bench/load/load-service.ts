import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, DECLARATION, GROUP, TOKEN, USER } from '../systems/declaration.ts';
import { type CommandFigures, measureCommand } from '../systems/measured-command.ts';
import { type Product, runCommand, THIS_PRODUCT } from '../systems/product.ts';
import { writeRowFile, writeSampleFile } from '../traffic/sample-file.ts';
import type { TrafficShape } from '../traffic/traffic.ts';
import { type CopyFigures, copyRows } from './copy-rows.ts';
import { databaseBytes } from './database-sizes.ts';
import { sweepMerged } from './sweep-merged.ts';

export type ServiceToLoad = {
  readonly databaseUrl: string;
  readonly shape: TrafficShape;
  /** Folder for temporary files. */
  readonly folder: string;
  readonly product?: Product;
  /** How many probes the samples come from (traffic/sample-file.ts). */
  readonly probes?: number;
  /** Whether to also copy the rows into a plain table. */
  readonly copy?: boolean;
};

export type ServiceLoad = {
  readonly import: CommandFigures & { readonly fileBytes: number };
  readonly copy: CopyFigures | null;
  /** Merging of everything that was imported. */
  readonly compact: CommandFigures;
  readonly tables: readonly StoredTable[];
  /** Growth of the whole database, measured after merging and sweeping. */
  readonly storedBytes: number;
};

/** A table with its indexes and partitions. bytes and rows are null if it does not exist. */
export type StoredTable = {
  readonly name: string;
  readonly bytes: number | null;
  readonly rows: number | null;
};

/** Fills a service's database with the product's own commands. */
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
    showProgress('merging');
    const compacting = ['compact', '--context', CONTEXT];
    const { seconds, usage } = await measureCommand(databaseUrl, compacting, { product });
    await sweepMerged(databaseUrl, product);
    const tables = await settle(client);
    const storedBytes = (await databaseBytes(client)) - empty;
    return { import: imported, copy: copied, compact: { seconds, usage }, tables, storedBytes };
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

/** Does the housekeeping that PostgreSQL would do during the measurements. Returns the sizes. */
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

/** null if there is no such table. A table without partitions has no partition tree. */
const SELECT_BYTES = `
select coalesce(
  (select sum(pg_total_relation_size(relid)) from pg_partition_tree(to_regclass($1))),
  pg_total_relation_size(to_regclass($1))
) as bytes`;
