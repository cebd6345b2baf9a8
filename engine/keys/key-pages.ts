import type { Deadline } from '../../db/session/read-session.ts';
import { compareKeys as compareTexts } from '../../domain/keys/compare-keys.ts';
import { runWhole, type Sliced } from '../../domain/sliced.ts';
import {
  hasKey,
  type KeySet,
  nextKey,
  partsOfKeys,
  sharedMemory,
} from '../../segments/filter/key-set.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import {
  compareKeys,
  firstOrdinal as firstIndex,
  firstOrdinal,
  type KeyList,
  keyAt,
  oneKey,
} from '../../segments/keys/key-list.ts';
import { KeyListBuilder } from '../../segments/keys/key-list-builder.ts';
import { uniteKeys } from '../../segments/keys/unite-keys.ts';
import { keyListPart } from '../../segments/merge/key-list-parts.ts';
import type { LocatedRange } from '../../segments/pages/directory.ts';
import { readKeys } from '../../segments/pages/read-range.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import { SectionRequests, type SegmentReader } from '../snapshot/segment-reader.ts';
import type { SegmentKeySet } from './present-keys.ts';

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

/** A range of adjacent keys of a segment, and the ordinal of its first key in the segment. */
type OpenRange = { readonly range: LocatedRange; readonly firstOrdinal: number };

/** A segment, its ranges to read, the index of the next range, and the keys not yet returned. */
type Input = SegmentKeySet & {
  readonly ranges: readonly OpenRange[];
  nextRange: number;
  pending: KeyList | null;
};

type KeyStreamOptions = {
  readonly group: SegmentGroup;
  /** The segments of the group, each with the keys that count. */
  readonly segments: readonly SegmentKeySet[];
  /** A compact key: only keys after it; null: all. */
  readonly after: Uint8Array | null;
  readonly deadline: Deadline | null;
};

/**
 * Yields the distinct keys of segments in ascending order, list by list. Only one range of keys of
 * each segment is in memory, as in merging (segments/merge/merge-ranges.ts), whatever the number of
 * keys. One statement fetches the next ranges of all segments that have run out.
 */
async function* streamKeys(
  reader: SegmentReader,
  { group, segments, after, deadline }: KeyStreamOptions,
): AsyncGenerator<KeyList> {
  const inputs = segments.map((segment): Input => openInput(segment, after));
  for (;;) {
    await readNext(reader, { group, inputs, deadline });
    const open = inputs.filter(({ pending }) => pending !== null);
    if (open.length === 0) return;
    await waitForTime(
      reader,
      open.reduce((sum, { pending }) => sum + (pending?.count ?? 0), 0),
    );
    const lists = cutAll(open);
    const { keys } = uniteKeys(lists);
    const rest = after === null ? keys : keysAfter(keys, after);
    if (rest.count > 0) yield rest;
  }
}

/** Keys whose work takes a millisecond or so. */
const FEW_KEYS = 1_000;

/**
 * Waits for an iteration of its own if there are many keys. `pause` would not do: the lists of
 * many fields have what they wait for at once, when none of them has worked yet.
 */
const waitForTime = (reader: SegmentReader, keys: number): Promise<void> | undefined =>
  keys > FEW_KEYS ? reader.yieldToEventLoop() : reader.pause();

/**
 * Skips ranges that end at or before the key, because the directory has their last keys, and ranges
 * without a present key.
 */
function openInput({ segment, present }: SegmentKeySet, after: Uint8Array | null): Input {
  const isPast = ({ lastKey }: LocatedRange): boolean =>
    after !== null && compareKeys(oneKey(lastKey), 0, oneKey(after), 0) <= 0;
  const ranges: OpenRange[] = [];
  let firstOrdinal = 0;
  for (const range of segment.directory().ranges) {
    const end = firstOrdinal + range.keyCount;
    const hasKeys = present === null || nextKey(present, firstOrdinal) < end;
    if (hasKeys && !isPast(range)) ranges.push({ range, firstOrdinal });
    firstOrdinal = end;
  }
  return { segment, present, ranges, nextRange: 0, pending: null };
}

type NextRead = {
  readonly group: SegmentGroup;
  readonly inputs: readonly Input[];
  readonly deadline: Deadline | null;
};

async function readNext(
  reader: SegmentReader,
  { group, inputs, deadline }: NextRead,
): Promise<void> {
  const requests = new SectionRequests();
  const due: { readonly input: Input; readonly next: OpenRange }[] = [];
  for (const input of inputs) {
    const next = input.ranges[input.nextRange];
    if (input.pending !== null || !next) continue;
    requests.add(input.segment, next.range.keys);
    due.push({ input, next });
  }
  if (due.length === 0) return;
  const sectionsOf = await requests.read(reader, deadline);
  for (const { input, next } of due) {
    await waitForTime(reader, next.range.keyCount);
    const keys = readKeys(next.range, group.codec, sectionsOf(input.segment));
    input.pending = onlyPresent(keys, next, input.present);
    input.nextRange += 1;
  }
}

const onlyPresent = (keys: KeyList, { firstOrdinal }: OpenRange, present: KeySet | null) =>
  present === null ? keys : runWhole(keysOfSet(keys, present, firstOrdinal));

/** Returns the keys of a list that are in a set, in which the first has this ordinal. */
export function* keysOfSet(keys: KeyList, set: KeySet, firstOrdinal = 0): Sliced<KeyList> {
  const own = new KeyListBuilder({ keys: 0, bytes: 0 }, sharedMemory);
  for (const { from, to } of partsOfKeys(keys.count)) {
    for (let i = from; i < to; i += 1) if (hasKey(set, firstOrdinal + i)) own.add(keyAt(keys, i));
    yield;
  }
  return own.finish();
}

/** Removes from each list the keys up to the smallest last key of all lists, and returns them. */
function cutAll(inputs: readonly Input[]): KeyList[] {
  const pending = inputs.flatMap((input) => input.pending ?? []);
  const cut = pending.reduce((smallest, keys) =>
    compareKeys(keys, keys.count - 1, smallest, smallest.count - 1) < 0 ? keys : smallest,
  );
  const lists: KeyList[] = [];
  for (const input of inputs) {
    const keys = input.pending;
    if (keys === null) continue;
    const to = firstIndex(keys, (key) => compareKeys(keys, key, cut, cut.count - 1) > 0);
    if (to > 0) lists.push(keyListPart(keys, 0, to));
    input.pending = to === keys.count ? null : keyListPart(keys, to, keys.count);
  }
  return lists;
}

function keysAfter(keys: KeyList, after: Uint8Array): KeyList {
  const bound = oneKey(after);
  const from = firstIndex(keys, (key) => compareKeys(keys, key, bound, 0) > 0);
  return keyListPart(keys, from, keys.count);
}

export const NO_KEYS: KeyList = new KeyListBuilder({ keys: 0, bytes: 0 }).finish();

/** Keys that are encoded and sorted at once: a millisecond or so. */
const KEYS_AT_ONCE = 500;

/**
 * Returns the keys that the texts are, sorted. The texts are distinct, and may be hundreds of
 * thousands: a thread merges what is sorted here in small lists.
 */
export async function sortedKeys(
  reader: Pick<SegmentReader, 'threadPool' | 'caller' | 'pause'>,
  codec: Pick<KeyCodec, 'encodeIfKey'>,
  texts: readonly string[],
): Promise<KeyList> {
  const lists: KeyList[] = [];
  for (let i = 0; i < texts.length; i += KEYS_AT_ONCE) {
    const some = texts.slice(i, i + KEYS_AT_ONCE).flatMap((text) => codec.encodeIfKey(text) ?? []);
    if (some.length > 0) lists.push(sortedList(some));
    await reader.pause();
  }
  const [only, another] = lists;
  if (!another) return only ?? NO_KEYS;
  const { keys } = await reader.threadPool.unite(lists, reader.caller);
  return keys;
}

function sortedList(keys: Uint8Array[]): KeyList {
  keys.sort((a, b) => Buffer.compare(a, b));
  const list = new KeyListBuilder({ keys: keys.length, bytes: 0 });
  for (const key of keys) list.add(key);
  return list.finish();
}
