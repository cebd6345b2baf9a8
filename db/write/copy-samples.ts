import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Connection } from './connection.ts';

/** A row of samples. readings and counts by slot − 1; counts null when every reading counts 1. */
export type SampleRow = {
  groupId: number;
  bucket: number;
  shard: number;
  keyId: number;
  probeId: number;
  sliceId: number;
  readings: readonly (number | bigint | null)[];
  counts: readonly (number | bigint | null)[] | null;
};

/** Appends the rows as one batch; the partitions of their slices are there. */
export async function copySamples(
  connection: Connection,
  rows: Iterable<SampleRow>,
): Promise<void> {
  const { rows: batches } = await connection.query<{ batch_id: string }>(
    `select nextval('sample_batches') as batch_id`,
  );
  const target = connection.query(
    copyFrom(`copy samples (group_id, bucket, shard, key_id, probe_id, batch_id, slice_id, readings,
      counts) from stdin`),
  );
  await pipeline(Readable.from(blocksOf(rows, batches[0]?.batch_id ?? '')), target);
}

const BLOCK_CHARACTERS = 64 * 1024;

/** COPY's text format, in blocks: a write for each row would cost more than the row. */
function* blocksOf(rows: Iterable<SampleRow>, batchId: string): Generator<string> {
  let block = '';
  for (const row of rows) {
    const counts = row.counts === null ? '\\N' : arrayText(row.counts);
    block += `${row.groupId}\t${row.bucket}\t${row.shard}\t${row.keyId}\t${row.probeId}\t${batchId}\t`;
    block += `${row.sliceId}\t${arrayText(row.readings)}\t${counts}\n`;
    if (block.length >= BLOCK_CHARACTERS) {
      yield block;
      block = '';
    }
  }
  if (block !== '') yield block;
}

function arrayText(values: readonly (number | bigint | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i += 1) {
    const separator = i === 0 ? '' : ',';
    text += `${separator}${values[i] ?? 'NULL'}`;
  }
  return `${text}}`;
}
