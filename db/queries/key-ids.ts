/**
 * An aggregate of key ids as one value: a text of as many numbers takes several times as long to
 * read. Other aggregates beside it are in the same order.
 */
export const PACKED_KEY_IDS = "string_agg(int4send(key_id), '')";

/** What PACKED_KEY_IDS gave; null is none. */
export function unpackKeyIds(packed: Buffer | null): Uint32Array {
  const keyIds = new Uint32Array((packed?.length ?? 0) / 4);
  for (let i = 0; i < keyIds.length; i += 1) keyIds[i] = packed?.readUInt32BE(i * 4) ?? 0;
  return keyIds;
}
