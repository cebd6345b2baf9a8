import type { Deadline } from '../../db/session/read-session.ts';
import { compareKeys as compareTexts } from '../../domain/keys/compare-keys.ts';
import {
  compareKeys,
  firstOrdinal,
  type KeyList,
  keyAt,
  oneKey,
} from '../../segments/keys/key-list.ts';
import { KeyListBuilder } from '../../segments/keys/key-list-builder.ts';
import { uniteKeys } from '../../segments/keys/unite-keys.ts';
import { keyListPart } from '../../segments/merge/key-list-parts.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import type { SegmentKeySet } from './present-keys.ts';
import { streamKeys } from './stream-keys.ts';

/** The keys of a group: those of its segments, and those that users have given texts. */
export type ListedKeys = {
  readonly group: SegmentGroup;
  readonly segments: readonly SegmentKeySet[];
  readonly withTexts: KeyList;
  /** Selects the keys to list; null: all. */
  readonly matches: ((keys: KeyList) => Promise<(ordinal: number) => boolean>) | null;
  readonly deadline: Deadline | null;
};

/** Keys in raw form, in byte order, and whether more follow. */
export type RawKeyPage = { readonly keys: readonly string[]; readonly hasMore: boolean };

/** Returns the first `limit` keys after a raw key; null: from the beginning. */
export async function readKeyPage(
  reader: SegmentReader,
  listed: ListedKeys,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<RawKeyPage> {
  const { codec } = listed.group;
  const bound = after === null ? null : codec.encodeIfKey(after);
  const found: string[] = [];
  for await (const keys of listedKeys(reader, listed, bound)) {
    for (let i = 0; i < keys.count && found.length <= limit; i += 1) {
      const key = codec.decode(keyAt(keys, i));
      // A cursor may be a text that is not a key of the group: all keys are then compared here.
      if (after === null || compareTexts(key, after) > 0) found.push(key);
    }
    if (found.length > limit) break;
  }
  return { keys: found.slice(0, limit), hasMore: found.length > limit };
}

export async function countKeys(reader: SegmentReader, listed: ListedKeys): Promise<number> {
  let count = 0;
  for await (const keys of listedKeys(reader, listed, null)) count += keys.count;
  return count;
}

async function* listedKeys(
  reader: SegmentReader,
  { group, segments, withTexts, matches, deadline }: ListedKeys,
  after: Uint8Array | null,
): AsyncGenerator<KeyList> {
  const cursor = after && oneKey(after);
  let added = cursor
    ? firstOrdinal(withTexts, (key) => compareKeys(withTexts, key, cursor, 0) > 0)
    : 0;
  for await (const keys of streamKeys(reader, { group, segments, after, deadline })) {
    const to = firstOrdinal(
      withTexts,
      (key) => compareKeys(withTexts, key, keys, keys.count - 1) > 0,
    );
    // Most have none to add.
    const merged = to > added ? uniteKeys([keys, keyListPart(withTexts, added, to)]).keys : keys;
    added = Math.max(added, to);
    yield await onlyMatching(merged, matches);
  }
  yield await onlyMatching(keyListPart(withTexts, added, withTexts.count), matches);
}

async function onlyMatching(keys: KeyList, matches: ListedKeys['matches']): Promise<KeyList> {
  if (matches === null || keys.count === 0) return keys;
  const isMatch = await matches(keys);
  const matching = new KeyListBuilder({ keys: 0, bytes: 0 });
  for (let i = 0; i < keys.count; i += 1) if (isMatch(i)) matching.add(keyAt(keys, i));
  return matching.finish();
}
