import { createHash } from 'node:crypto';
import type pg from 'pg';
import { poolAt } from './rows-of.ts';

/** By table, the number of its rows and a digest of them. */
export type DatabaseDigest = Readonly<Record<string, string>>;

/** Digests every table of a database; a partitioned table counts as one. */
export const digestOf = (databaseUrl: string): Promise<DatabaseDigest> =>
  digestThrough(poolAt(databaseUrl));

export async function digestThrough(client: pg.ClientBase | pg.Pool): Promise<DatabaseDigest> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind in ('r', 'p') and not relispartition
       and relnamespace = current_schema()::regnamespace and relname !~ '_[0-9]+$'
     order by 1`,
  );
  const selects = tables.map(
    ({ name }) => `select '${name}' as name, count(*)::text as count,
       coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '') as digests from ${name} t`,
  );
  const { rows } = await client.query<{ name: string; count: string; digests: string }>(
    selects.join(' union all '),
  );
  return Object.fromEntries(
    rows.map(({ name, count, digests }) => [
      name,
      `${count} ${createHash('sha256').update(digests).digest('hex')}`,
    ]),
  );
}
