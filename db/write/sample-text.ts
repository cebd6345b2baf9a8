import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Connection } from './connection.ts';
import { partitionName } from './create-partition.ts';

/**
 * Samples and keys as PostgreSQL's COPY writes them in its text format: a line a row, columns
 * separated by tabs, `\N` for null. Every program can read it, and every version of PostgreSQL.
 */

export const SAMPLE_COLUMNS = [
  ...['group_id', 'bucket', 'shard', 'key_id', 'probe_id', 'slice_id', 'readings', 'counts'],
] as const;

export const KEY_COLUMNS = [
  ...['group_id', 'shard', 'key_id', 'key', 'label', 'label_source', 'description', 'attributes'],
] as const;

/** All samples of a slice whose partition is there. */
export const readSampleText = (
  connection: Connection,
  sliceId: number,
): AsyncGenerator<Buffer, void, undefined> =>
  readText(connection, `copy ${partitionName(sliceId)} (${SAMPLE_COLUMNS.join(', ')}) to stdout`);

/** The keys that samples of the slice are of. */
export const readKeyText = (
  connection: Connection,
  sliceId: number,
): AsyncGenerator<Buffer, void, undefined> =>
  readText(
    connection,
    `copy (
  select ${KEY_COLUMNS.join(', ')} from keys
  join (select distinct group_id, shard, key_id from ${partitionName(sliceId)}) s
    using (group_id, shard, key_id)
  order by group_id, shard, key_id
) to stdout`,
  );

async function* readText(
  connection: Connection,
  text: string,
): AsyncGenerator<Buffer, void, undefined> {
  const stream = connection.query(copyTo(text));
  try {
    // Not `yield*`: an error of whoever takes the text would reach the stream and destroy it, and
    // the connection would be left in the middle of what PostgreSQL sends.
    for await (const part of stream.iterator({ destroyOnReturn: false })) yield part;
  } finally {
    // Whoever stops in the middle gets a connection back that can be used.
    await readToEnd(stream);
  }
}

/** `resume` does not: what an iterator has left paused stays so, and its socket with it. */
async function readToEnd(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  try {
    for await (const _ of stream);
  } catch {
    // The statement has failed, and is over.
  }
}

/** Puts samples into the partition of their slice. What does not belong to it is refused. */
export const copySampleText = (
  connection: Connection,
  sliceId: number,
  text: AsyncIterable<Buffer>,
): Promise<void> =>
  pipeline(
    Readable.from(text, { objectMode: false }),
    connection.query(
      copyFrom(`copy ${partitionName(sliceId)} (${SAMPLE_COLUMNS.join(', ')}) from stdin`),
    ),
  );

/** How many samples a slice has whose partition is there. */
export async function countSamples(connection: Connection, sliceId: number): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::float8 as count from ${partitionName(sliceId)}`,
  );
  return rows[0]?.count ?? 0;
}
