import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Connection } from '../../connection/connection.ts';
import type { OldTables } from './old-tables.ts';

/** Temporary tables that an archive of version 0.7 is read into. */
export const ARCHIVED_TABLES: OldTables = {
  samples: 'pg_temp.archived_samples',
  keys: 'pg_temp.archived_keys',
};

/** Columns of each section of an archive, which has the text format of PostgreSQL's COPY. */
const SAMPLE_COLUMNS = 'group_id, bucket, shard, key_id, probe_id, slice_id, readings, counts';
const KEY_COLUMNS = 'group_id, shard, key_id, key, label, label_source, description, attributes';

/** Creates the tables, empty, until the end of the transaction. Nothing of them goes to the WAL. */
export const createArchivedTables = (connection: Connection) =>
  connection.query(
    `create temporary table archived_keys (group_id integer, shard smallint, key_id integer,
       key text collate "C", label text, label_source text, description text, attributes jsonb
     ) on commit drop;
     create temporary table archived_samples (group_id integer, bucket bigint, shard smallint,
       key_id integer, probe_id integer, slice_id integer, readings bigint[], counts bigint[]
     ) on commit drop`,
  );

/** Fills the table of keys, and indexes it. */
export async function copyArchivedKeys(
  connection: Connection,
  text: AsyncIterable<Buffer>,
): Promise<void> {
  const copy = `copy ${ARCHIVED_TABLES.keys} (${KEY_COLUMNS}) from stdin`;
  await pipeline(Readable.from(text, { objectMode: false }), connection.query(copyFrom(copy)));
  await connection.query(
    `create unique index on ${ARCHIVED_TABLES.keys} (group_id, shard, key_id);
     analyze ${ARCHIVED_TABLES.keys}`,
  );
}

/** Fills the table of samples, and returns their number. Errors: some belong to another slice. */
export async function copyArchivedSamples(
  connection: Connection,
  sliceId: number,
  text: AsyncIterable<Buffer>,
): Promise<number> {
  const copy = `copy ${ARCHIVED_TABLES.samples} (${SAMPLE_COLUMNS}) from stdin`;
  await pipeline(Readable.from(text, { objectMode: false }), connection.query(copyFrom(copy)));
  const { rows } = await connection.query<{ count: number; others: number }>(
    `select count(*)::float8 as count,
       (count(*) filter (where slice_id is distinct from $1))::float8 as others
     from ${ARCHIVED_TABLES.samples}`,
    [sliceId],
  );
  const { count, others } = rows[0] ?? { count: 0, others: 0 };
  if (others === 0) return count;
  throw new Error(
    `An archive of slice ${sliceId} must hold no samples of another one, but has ${others}`,
  );
}
