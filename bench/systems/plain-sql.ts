import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Answer, exactNumber } from '../questions/answer.ts';
import type { Question } from '../questions/question.ts';
import { copyLines } from '../traffic/copy-lines.ts';
import { type TrafficShape, trafficKeys } from '../traffic/traffic.ts';
import { topperStatement } from './plain-sql-statement.ts';
import type { System } from './system.ts';

export type PlainSql = System & { close(): Promise<void> };

/**
 * The same samples in one obvious table, in time order.
 *
 * For windows, BRIN was as fast as a B-tree over bucket that includes key and bytes, and both were
 * much faster than no index: rows are in the order of their buckets, so BRIN finds an hour equally
 * well, at a thousandth of the size. A week reads everything anyway. The B-tree by key makes
 * percentiles a little faster: it finds the listed keys' readings without those of all others.
 */
const TABLES = `
create table keys (key_id integer primary key, key text collate "C" not null);
create table readings (
  key_id integer not null,
  bucket bigint not null,
  bytes bigint not null,
  packets bigint not null,
  connections bigint not null
)`;
const INDEXES = `
create index on readings using brin (bucket) with (pages_per_range = 32);
create index on readings (key_id, bucket) include (bytes)`;

/** Fills an empty database. */
export async function loadPlainSql(databaseUrl: string, shape: TrafficShape): Promise<void> {
  const client = await connect(databaseUrl);
  try {
    await client.query(TABLES);
    await client.query(
      `insert into keys
        select place - 1, key from unnest($1::text[]) with ordinality as t(key, place)`,
      [trafficKeys()],
    );
    const copy = client.query(copyFrom('copy readings from stdin'));
    await pipeline(Readable.from(copyLines(shape)), copy);
    await client.query(INDEXES);
    await client.query('vacuum (analyze) keys, readings');
  } finally {
    await client.end();
  }
}

export async function openPlainSql(databaseUrl: string, shape: TrafficShape): Promise<PlainSql> {
  const client = await connect(databaseUrl);
  await client.query(`set jit = off; set work_mem = '1GB'`);
  return {
    name: 'sql',
    prepare: async (question) => {
      const statement = topperStatement(question, shape);
      return async () => answerOf((await client.query<Row>(statement)).rows, question);
    },
    close: () => client.end(),
  };
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'plain sql' });
  await client.connect();
  return client;
}

type Row = { readonly [column: string]: string | null };

function answerOf(rows: readonly Row[], { ranks }: Question): Answer {
  const keys = rows.flatMap((row) =>
    row['key'] == null
      ? []
      : {
          key: row['key'],
          value: exactNumber(row['value']),
          percentiles: ranks.map((_, place) => exactNumber(row[`percentile_${place}`])),
        },
  );
  const listed = keys.reduce((sum, { value }) => sum + value, 0);
  return {
    keys,
    others: exactNumber(rows[0]?.['total']) - listed,
    keyCount: exactNumber(rows[0]?.['key_count']),
  };
}
