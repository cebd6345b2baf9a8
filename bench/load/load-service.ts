import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, DECLARATION, GROUP, TOKEN, USER } from '../systems/declaration.ts';
import { runCommand } from '../systems/product.ts';
import { writeSampleFile } from '../traffic/sample-file.ts';
import type { TrafficShape } from '../traffic/traffic.ts';

export type ServiceLoad = {
  /** Of `countergraph import`, from its start to its end. */
  readonly seconds: number;
  readonly samplesPerSecond: number;
  readonly fileBytes: number;
  readonly tables: readonly StoredTable[];
};

/** A table with its indexes and partitions. bytes and rows are null where there is none. */
export type StoredTable = {
  readonly name: string;
  readonly bytes: number | null;
  readonly rows: number | null;
};

/** Fills the service's database through the product's own commands. */
export async function loadService(
  databaseUrl: string,
  shape: TrafficShape,
  folder: string,
): Promise<ServiceLoad> {
  const declaration = join(folder, 'declaration.json');
  await writeFile(declaration, JSON.stringify(DECLARATION));
  await runCommand(databaseUrl, ['apply', declaration]);
  await runCommand(databaseUrl, ['user', 'add', USER, '--token', TOKEN, '--context', CONTEXT]);
  const file = join(folder, 'samples.ndjson');
  try {
    showProgress('writing the samples to a file');
    await writeSampleFile(file, shape, GROUP);
    const { size: fileBytes } = await stat(file);
    showProgress(`importing ${Math.round(fileBytes / 2 ** 20)} MB`);
    const started = performance.now();
    const format = ['--format', 'samples', '--json'];
    await runCommand(databaseUrl, ['import', '--context', CONTEXT, ...format, file]);
    const seconds = (performance.now() - started) / 1000;
    showProgress('merging');
    await runCommand(databaseUrl, ['compact', '--context', CONTEXT]);
    return {
      ...{ seconds, fileBytes, samplesPerSecond: shape.samples / seconds },
      tables: await settle(databaseUrl),
    };
  } finally {
    await rm(file, { force: true });
  }
}

/** The open pages are those that were merged meanwhile: they go after some minutes. */
const MEASURED_TABLES = ['sealed_segment_pages', 'segments', 'open_segment_pages', 'key_texts'];

/** Does now what the server's housekeeping would do during the measurements; gives the sizes. */
async function settle(databaseUrl: string): Promise<StoredTable[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
    const tables: StoredTable[] = [];
    for (const name of MEASURED_TABLES) tables.push(await measureTable(client, name));
    return tables;
  } finally {
    await client.end();
  }
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
