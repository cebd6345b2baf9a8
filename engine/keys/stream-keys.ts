import type { Deadline } from '../../db/session/read-session.ts';
import { hasKey, type KeySet, nextKey } from '../../segments/filter/key-set.ts';
import {
  compareKeys,
  firstOrdinal as firstIndex,
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
export async function* streamKeys(
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

function onlyPresent(keys: KeyList, { firstOrdinal }: OpenRange, present: KeySet | null): KeyList {
  if (present === null) return keys;
  const own = new KeyListBuilder({ keys: 0, bytes: 0 });
  for (let i = 0; i < keys.count; i += 1) {
    if (hasKey(present, firstOrdinal + i)) own.add(keyAt(keys, i));
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
