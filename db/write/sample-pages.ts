import { to as copyTo } from 'pg-copy-streams';
import type { Interval } from '../../domain/interval.ts';
import { CopyReader } from '../copy-reader.ts';
import { copyInteger as integer } from '../copy-text.ts';
import type { Connection } from './connection.ts';

/** What the rows of a slice and group are ordered by. */
export type SamplePlace = readonly [bucket: number, shard: number, keyId: number, probeId: number];

/** A stored row. The arrays are as they came: sampleNumbers reads them. counts: null for none. */
export type StoredSample = {
  readonly place: SamplePlace;
  readonly readings: Buffer;
  readonly counts: Buffer | null;
};

export type SampleSelection = {
  readonly sliceId: number;
  readonly groupId: number;
  /** Only buckets that begin in [from, to); without it, all. */
  readonly within?: Interval | undefined;
};

/**
 * All samples of a group in a slice by bucket, shard and key id, in pages of about `rows`: those of
 * one place stay together, as nothing tells them apart. Each page is one walk along the index from
 * where the one before ended, and all that is held.
 */
export async function* samplePages(
  connection: Connection,
  of: SampleSelection,
  rows: number,
): AsyncGenerator<StoredSample[]> {
  let after: SamplePlace = [of.within?.from ?? -1, -1, -1, -1];
  for (;;) {
    const page = readPage(await collect(connection, copyText(of, after, rows)));
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < rows || !last) return;
    after = last.place;
  }
}

const ORDER = 'bucket, shard, key_id, probe_id';

const copyText = (
  { sliceId, groupId, within }: SampleSelection,
  after: SamplePlace,
  rows: number,
): string => `copy (
  select ${ORDER}, readings, counts from samples
  -- The bucket alone is what the index knows.
  where slice_id = ${integer(sliceId)} and group_id = ${integer(groupId)}
    and bucket >= ${integer(after[0])}${within ? ` and bucket < ${integer(within.to)}` : ''}
    and (${ORDER}) > (${after.map(integer).join(',')})
  order by ${ORDER} fetch first ${integer(rows)} rows with ties
) to stdout (format binary)`;

async function collect(connection: Connection, text: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of connection.query(copyTo(text))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function readPage(buffer: Buffer): StoredSample[] {
  const reader = new CopyReader(buffer);
  const page: StoredSample[] = [];
  while (reader.next()) {
    const place = [reader.integer(), reader.integer(), reader.integer(), reader.integer()] as const;
    const readings = reader.bytes();
    const counts = reader.bytes();
    page.push({ place, readings, counts: counts.length === 0 ? null : counts });
  }
  return page;
}

const ARRAY_HEADER_BYTES = 20;
const HIGH_UNIT = 2 ** 32;

/**
 * Calls `take` with the place and the number of each element of a bigint[] that is not null: five
 * words about the array, then each number behind its length, −1 for null. A number that a double
 * does not hold comes as a bigint.
 */
export function sampleNumbers(
  array: Buffer,
  take: (index: number, value: number | bigint) => void,
): void {
  let at = ARRAY_HEADER_BYTES;
  for (let index = 0; at < array.length; index += 1) {
    const isNull = array.readInt32BE(at) < 0;
    at += 4;
    if (isNull) continue;
    const value = array.readInt32BE(at) * HIGH_UNIT + array.readUInt32BE(at + 4);
    take(index, Number.isSafeInteger(value) ? value : array.readBigInt64BE(at));
    at += 8;
  }
}
