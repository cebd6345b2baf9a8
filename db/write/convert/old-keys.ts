import { copyInteger as integer } from '../../copy-text.ts';
import type { CopySource } from '../../session/copy-source.ts';
import { KEY_ID_BYTES } from './old-samples.ts';

/** A run of consecutive ids of a shard, both ends included. */
export type KeyIdRun = { readonly shard: number; readonly first: number; readonly last: number };

export type OldKeyRead = {
  readonly table: string;
  readonly groupId: number;
  readonly runs: readonly KeyIdRun[];
};

/**
 * Receives the position of a key in the bytes that were read: its id, of KEY_ID_BYTES, and its text
 * in UTF-8.
 */
export type TakeOldKey = (bytes: Buffer, idAt: number, textFrom: number, textTo: number) => void;

/**
 * Reads the keys of a group with these ids, in any order; each run is one scan along the primary
 * key. OFFSET 0 fences the lateral part, so that the planner never turns it into a scan of the
 * table.
 */
export async function readOldKeys(
  source: CopySource,
  { table, groupId, runs }: OldKeyRead,
  take: TakeOldKey,
): Promise<void> {
  if (runs.length === 0) return;
  const text = `copy (
    select k.shard, k.key_id, k.key
    from (values ${runs.map(valuesText).join(',')}) as r(shard, first, last)
    cross join lateral (
      select shard, key_id, key from ${table}
      where group_id = ${integer(groupId)} and shard = r.shard
        and key_id between r.first and r.last
      offset 0
    ) k
  ) to stdout (format binary)`;
  const bytes = await source.copy({ query: 'read-old-keys', text });
  for (let at = HEADER_BYTES; bytes.readInt16BE(at) >= 0; ) {
    const idAt = at + SHARD;
    const textFrom = idAt + KEY_ID_BYTES + 4;
    const textTo = textFrom + bytes.readInt32BE(textFrom - 4);
    take(bytes, idAt, textFrom, textTo);
    at = textTo;
  }
}

const HEADER_BYTES = 19;
/**
 * Offset from the start of a row: two bytes count its fields, and four are the length of this one.
 */
const SHARD = 6;

const valuesText = ({ shard, first, last }: KeyIdRun): string =>
  `(${integer(shard)},${integer(first)},${integer(last)})`;
