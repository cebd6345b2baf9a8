import type { TimeBound } from '../../../db/session/read-session.ts';
import {
  compareKeys,
  firstOrdinal,
  type KeyList,
  oneKey,
} from '../../../segments/keys/key-list.ts';
import { uniteKeys } from '../../../segments/keys/unite-keys.ts';
import { keyListPart } from '../../../segments/merge/key-list-parts.ts';
import { readKeys } from '../../../segments/pages/read-range.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import { SectionWishes, type SegmentReader } from '../session/segment-reader.ts';

/** A segment, how many of its ranges were read, and the keys that wait. */
type Input = { readonly segment: StoredSegment; nextRange: number; pending: KeyList | null };

export type KeyStreamOptions = {
  readonly group: SegmentGroup;
  /** Those of the group that count. */
  readonly segments: readonly StoredSegment[];
  /** A compact key: only keys after it; null: all. */
  readonly after: Uint8Array | null;
  readonly bound: TimeBound | null;
};

/**
 * The distinct keys of segments, ascending, list by list. Of each segment one range of keys is in
 * memory, as in merging (segments/merge/merge-ranges.ts), whatever the number of keys; a statement
 * fetches the next range of all segments that have run out.
 */
export async function* streamKeys(
  reader: SegmentReader,
  { group, segments, after, bound }: KeyStreamOptions,
): AsyncGenerator<KeyList> {
  const inputs = segments.map((segment): Input => openInput(segment, after));
  for (;;) {
    await readNext(reader, { group, inputs, bound });
    const open = inputs.filter(({ pending }) => pending !== null);
    if (open.length === 0) return;
    const lists = cutAll(open);
    const { keys } = uniteKeys(lists);
    const rest = after === null ? keys : keysAfter(keys, after);
    if (rest.count > 0) yield rest;
    await reader.goOn();
  }
}

/** Ranges that end before the key are passed over: the directory knows their last keys. */
function openInput(segment: StoredSegment, after: Uint8Array | null): Input {
  const { ranges } = segment.directory();
  const isPast = (lastKey: Uint8Array): boolean =>
    after !== null && compareKeys(oneKey(lastKey), 0, oneKey(after), 0) <= 0;
  const first = ranges.findIndex(({ lastKey }) => !isPast(lastKey));
  return { segment, nextRange: first === -1 ? ranges.length : first, pending: null };
}

type NextRead = {
  readonly group: SegmentGroup;
  readonly inputs: readonly Input[];
  readonly bound: TimeBound | null;
};

async function readNext(reader: SegmentReader, { group, inputs, bound }: NextRead): Promise<void> {
  const wishes = new SectionWishes();
  const due: Input[] = [];
  for (const input of inputs) {
    const range = input.segment.directory().ranges[input.nextRange];
    if (input.pending !== null || !range) continue;
    wishes.add(input.segment, range.keys);
    due.push(input);
  }
  if (due.length === 0) return;
  const sectionsOf = await wishes.read(reader, bound);
  for (const input of due) {
    const range = input.segment.directory().ranges[input.nextRange];
    if (!range) continue;
    input.pending = readKeys(range, group.codec, sectionsOf(input.segment));
    input.nextRange += 1;
    await reader.goOn();
  }
}

/** Takes from each list the keys up to the smallest last key of all of them. */
function cutAll(inputs: readonly Input[]): KeyList[] {
  const pending = inputs.flatMap((input) => input.pending ?? []);
  const cut = pending.reduce((least, keys) =>
    compareKeys(keys, keys.count - 1, least, least.count - 1) < 0 ? keys : least,
  );
  const lists: KeyList[] = [];
  for (const input of inputs) {
    const keys = input.pending;
    if (keys === null) continue;
    const to = firstOrdinal(keys, (key) => compareKeys(keys, key, cut, cut.count - 1) > 0);
    if (to > 0) lists.push(keyListPart(keys, 0, to));
    input.pending = to === keys.count ? null : keyListPart(keys, to, keys.count);
  }
  return lists;
}

function keysAfter(keys: KeyList, after: Uint8Array): KeyList {
  const bound = oneKey(after);
  const from = firstOrdinal(keys, (key) => compareKeys(keys, key, bound, 0) > 0);
  return keyListPart(keys, from, keys.count);
}
