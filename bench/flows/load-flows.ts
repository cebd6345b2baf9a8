import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { databaseBytes } from '../load/database-sizes.ts';
import { besideDatabase, makeDatabase } from '../load/databases.ts';
import type { OwnPostgres } from '../load/own-postgres.ts';
import { sweepMerged } from '../load/sweep-merged.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT } from '../systems/declaration.ts';
import { type CommandFigures, measureCommand } from '../systems/measured-command.ts';
import { type Product, productVersion, runCommand } from '../systems/product.ts';

export type FlowsToLoad = {
  /** Of the database. */
  readonly name: string;
  readonly product: Product;
  readonly files: readonly string[];
  readonly format: string;
};

export type StoredGroup = {
  readonly name: string;
  /** Samples times meters. */
  readonly readings: number;
  /** Of live segments, roll-ups included. */
  readonly bytes: number;
};

export type LoadedFlows = {
  readonly version: string;
  readonly import: CommandFigures;
  readonly groups: readonly StoredGroup[];
  /** Growth of the whole database, measured after merging and sweeping. */
  readonly storedBytes: number;
};

/** Imports files of flows, which fill all their groups, with a product's own commands. */
export async function loadFlows(
  { url, folder }: OwnPostgres,
  { name, product, files, format }: FlowsToLoad,
): Promise<LoadedFlows> {
  const version = await productVersion(product);
  showProgress(`importing into ${version}`);
  await makeDatabase(url, name);
  const databaseUrl = besideDatabase(url, name);
  const declaration = join(folder, 'declaration.json');
  await writeFile(declaration, JSON.stringify({ context: CONTEXT }));
  await runCommand(databaseUrl, ['apply', declaration], product);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const empty = await databaseBytes(client);
    const importing = ['import', '--context', CONTEXT, '--format', format, ...files];
    const { seconds, usage } = await measureCommand(databaseUrl, importing, { product });
    await runCommand(databaseUrl, ['compact', '--context', CONTEXT], product);
    await sweepMerged(databaseUrl, product);
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
    const groups = await storedGroups(client);
    const storedBytes = (await databaseBytes(client)) - empty;
    return { version, import: { seconds, usage }, groups, storedBytes };
  } finally {
    await client.end();
  }
}

async function storedGroups(client: pg.Client): Promise<StoredGroup[]> {
  const { rows } = await client.query<Record<'name' | 'readings' | 'bytes', string>>(
    `select g.name, sum(s.size_bytes) as bytes,
       coalesce(sum(s.row_count) filter (where s.sources is null), 0) * meters.count as readings
     from segments s join counter_groups g using (group_id)
       join (select group_id, count(*) from meters group by 1) meters using (group_id)
     where s.died is null group by g.name, meters.count order by g.name`,
  );
  return rows.map(({ name, readings, bytes }) => ({
    name,
    readings: Number(readings),
    bytes: Number(bytes),
  }));
}
