import type { KeyKind } from './key-kind.ts';

/** Over how many shards the keys of a large group are spread. Stored data depends on it. */
export const SHARD_COUNT = 8;

/** Groups that can only ever have a few hundred keys keep them together. */
const SMALL_KINDS: ReadonlySet<KeyKind> = new Set<KeyKind>(['protocol', 'country']);

export const shardCountOf = (kind: KeyKind): number => (SMALL_KINDS.has(kind) ? 1 : SHARD_COUNT);

/**
 * The shard of a key: FNV-1a (Fowler, Noll, Vo) over its UTF-16 code units, modulo the group's
 * number of shards. Stored with every key and sample, so it must never change.
 */
export function shardOf(key: string, shardCount: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  }
  // FNV's low bits are weak on keys that differ in their last characters only: mix the high ones in.
  hash ^= hash >>> 15;
  return (hash >>> 0) % shardCount;
}
