import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { selectIsDistributed } from './page-placement.ts';

/*
 * Version 2.0 has one migration instead of those of 1.7, and takes over databases of the last 1.7
 * only: `migrate` adapts their schema, and store/from-1.7/ then converts what they hold.
 */

/** The first migration of versions 0.x and 1.x, and the newest of the last 1.7. */
const FORMER = { first: '001_core', last: '024_present_buckets' } as const;

/** Returns whether version 0.x or 1.x applied these migrations, the oldest first. */
export const isFormer = ([first]: readonly string[]): boolean => first === FORMER.first;

/** Returns whether the schema is that of the last 1.7. */
export const isOfLast17 = (version: string): boolean => version === FORMER.last;

/**
 * Throws, with a message for the operator, unless a former database can be taken over as it is:
 * version 1.7 reads everything that is older.
 */
export async function requireLast17(client: pg.Client, version: string): Promise<void> {
  if (!isOfLast17(version) || (await hasTable(client, 'converted_slices'))) {
    throw new Error(
      'The database must be one that the last version 1.7 has migrated and converted, and its ' +
        `schema is at ${version}: run \`countergraph migrate\` of version 1.7 first`,
    );
  }
  const { rows } = await client.query<{ paths: string }>(
    `select string_agg(archive_path, ', ' order by starts_at) as paths from slices
     where archive_digest is not null and archive_path like '%.gz'`,
  );
  const paths = rows[0]?.paths ?? null;
  if (paths !== null) {
    throw new Error(
      `All archives must be of version 1.0 or newer, and those of version 0.7 are ${paths}: ` +
        'restore these slices with version 1.7, and archive them again, first',
    );
  }
  if (await selectIsDistributed(client)) {
    throw new Error(
      'The pages must be on one server to be converted, but Citus distributes them: run ' +
        '`countergraph distribute --undo` of version 1.7 first, and `distribute` afterwards',
    );
  }
}

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ hasTable: boolean }>(
    'select to_regclass($1) is not null as "hasTable"',
    [name],
  );
  return rows[0]?.hasTable ?? false;
}

type Adaptation = {
  /** The folder of the migrations. */
  readonly folder: string;
  /** The table of migrations, as SQL names it. */
  readonly table: string;
  /** The migration whose schema the database gets. */
  readonly baseline: string;
};

/** Gives a database of the last 1.7 the schema of the baseline, in one transaction. */
export async function adapt(
  client: pg.Client,
  { folder, table, baseline }: Adaptation,
): Promise<void> {
  const text = await readFile(join(folder, 'from-1.7', 'adapt.sql'), 'utf8');
  await client.query('begin');
  try {
    await client.query(text);
    await client.query(`delete from ${table}`);
    await client.query(`insert into ${table} (name, run_on) values ($1, now())`, [baseline]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
