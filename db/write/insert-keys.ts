import { BLOCK_BYTES, copyRows, INT2, INT4, NULL, writeInt2, writeInt4 } from './binary-copy.ts';
import type { Connection } from './connection.ts';
import type { KeyPlace } from './select-key-ids.ts';

/** parts: of a cross-key, unescaped and in order; empty for others. */
export type NewKey = KeyPlace & { keyId: number; parts: readonly string[] };

/** Adds keys with their ids; the context is locked. */
export const insertKeys = (connection: Connection, keys: readonly NewKey[]): Promise<void> =>
  copyRows(
    connection,
    'keys (group_id, shard, key_id, key, part_1, part_2, part_3)',
    encodeKeys(keys),
  );

const MAX_PARTS = 3;
const FIELDS = 4 + MAX_PARTS;
const FIXED_BYTES = 2 + FIELDS * 4 + 2 * INT4 + INT2;

/** A UTF-16 unit takes at most three bytes of UTF-8. */
const longestBytes = ({ key, parts }: NewKey): number =>
  parts.reduce((bytes, part) => bytes + 3 * part.length, FIXED_BYTES + 3 * key.length);

function* encodeKeys(keys: readonly NewKey[]): Generator<Buffer> {
  let block = Buffer.allocUnsafe(BLOCK_BYTES);
  let at = 0;
  for (const key of keys) {
    const longest = longestBytes(key);
    if (at + longest > block.length) {
      yield block.subarray(0, at);
      block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, longest));
      at = 0;
    }
    at = writeKey(block, at, key);
  }
  yield block.subarray(0, at);
}

function writeKey(block: Buffer, start: number, key: NewKey): number {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  view.setInt16(start, FIELDS);
  let at = writeInt4(view, start + 2, key.groupId);
  at = writeInt2(view, at, key.shard);
  at = writeInt4(view, at, key.keyId);
  at = writeText(block, at, key.key);
  for (let i = 0; i < MAX_PARTS; i += 1) at = writeText(block, at, key.parts[i] ?? null);
  return at;
}

function writeText(block: Buffer, at: number, text: string | null): number {
  const size = text === null ? NULL : block.write(text, at + 4);
  block.writeInt32BE(size, at);
  return at + 4 + Math.max(size, 0);
}
