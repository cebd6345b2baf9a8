import { groupBy } from '../../domain/group-by.ts';
import type { Sliced } from '../../domain/sliced.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import { type KeyList, keyStart } from '../../segments/keys/key-list.ts';
import { firstPartRanges } from '../../segments/keys/key-ranges.ts';
import type { KeysWithin } from '../plan/key-questions.ts';

type CodedKeys = { readonly keys: KeyList; readonly codec: KeyCodec };

/**
 * Decision 31: returns the ordinals of the cross-keys that have a key as one of these parts, each
 * once, in ascending order.
 */
export function* ordinalsWithin(within: KeysWithin, coded: CodedKeys): Sliced<number[]> {
  return (yield* ordinalsWithinEach([within], coded)).get(within) ?? [];
}

/**
 * The same for several keys. Keys with the same first part are adjacent. For later parts all keys
 * are scanned, once: a table with a drill-down in each row needs a hundred.
 */
export function* ordinalsWithinEach(
  withins: readonly KeysWithin[],
  { keys, codec }: CodedKeys,
): Sliced<ReadonlyMap<KeysWithin, number[]>> {
  const found = new Map(withins.map((within) => [within, new Set<number>()]));
  const later: WantedPart[] = [];
  for (const [{ parts, key }, ordinals] of found) {
    for (const part of parts) {
      if (part === 0) addFirstPart(ordinals, key, { keys, codec });
      else {
        const bytes = codec.encodePart(part, key);
        if (bytes) later.push({ part, bytes, ordinals });
      }
    }
  }
  if (later.length > 0) yield* findLaterParts(later, { keys, codec });
  return new Map(
    [...found].map(([within, ordinals]) => [within, [...ordinals].sort((a, b) => a - b)]),
  );
}

function addFirstPart(ordinals: Set<number>, key: string, { keys, codec }: CodedKeys): void {
  for (const { from, to } of firstPartRanges(keys, codec, key)) {
    for (let ordinal = from; ordinal < to; ordinal += 1) ordinals.add(ordinal);
  }
}

/** A part to be found in cross-keys, and the ordinals of those found so far. */
type WantedPart = {
  readonly part: number;
  readonly bytes: Uint8Array;
  readonly ordinals: Set<number>;
};

/** Keys that are scanned in much less than a millisecond. */
const KEYS_AT_ONCE = 1_000;

function* findLaterParts(wanted: readonly WantedPart[], { keys, codec }: CodedKeys): Sliced<void> {
  const byPart = [...groupBy(wanted, ({ part }) => part)].map(([part, ofPart]) => ({
    part,
    lastBytes: new Set(ofPart.map(({ bytes }) => bytes.at(-1))),
    byHash: groupBy(ofPart, ({ bytes }) => hashOf(bytes, 0, bytes.length)),
  }));
  const ends = new Uint32Array(codec.kinds.length);
  for (let ordinal = 0; ordinal < keys.count; ordinal += 1) {
    if (ordinal % KEYS_AT_ONCE === 0) yield;
    codec.partEnds(keys.bytes, keyStart(keys, ordinal), keys.ends[ordinal] as number, ends);
    for (const { part, lastBytes, byHash } of byPart) {
      const from = ends[part - 1] as number;
      const to = ends[part] as number;
      // Most parts differ in their last byte from the few wanted ones, and need no hash.
      if (!lastBytes.has(keys.bytes[to - 1])) continue;
      const alike = byHash.get(hashOf(keys.bytes, from, to));
      if (alike === undefined) continue;
      for (const { bytes, ordinals } of alike) {
        if (isSame(keys.bytes, from, to, bytes)) ordinals.add(ordinal);
      }
    }
  }
}

/** FNV-1a. On equal hashes the bytes are compared, and only with the wanted parts. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c_9dc5;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
  return hash;
}

function isSame(all: Uint8Array, from: number, to: number, bytes: Uint8Array): boolean {
  if (to - from !== bytes.length) return false;
  for (let i = 0; i < bytes.length; i += 1) if (all[from + i] !== bytes[i]) return false;
  return true;
}
