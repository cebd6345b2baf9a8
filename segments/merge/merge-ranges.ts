import { compareKeys, firstOrdinal } from '../keys/key-list.ts';
import { uniteKeys } from '../keys/unite-keys.ts';
import { joinColumns } from '../readings/join-columns.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { combineReadings, keyRows } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import { joinKeyLists } from './key-list-parts.ts';
import { splitRange } from './split-range.ts';

/*
 * Merging goes through all segments at once in key order, like the merge of a merge sort whose
 * items are ranges. One range of each segment is in memory. All of these ranges are cut at the
 * smallest of their last keys: everything up to the cut is complete and becomes one range. So
 * memory is bounded by the number of segments, whatever the number of keys.
 *
 *     segment 1   aaaaaaaa|aaaaaa            | the cut: the smallest last key
 *     segment 2   bbb|bbbbbbbbbbb
 *                 ^^^^ merged; the rest waits, and the next range of segment 2 is read
 *
 * Cuts leave crumbs where ranges end shortly after each other, so the results are gathered until
 * they are as large as a range should be.
 */

/** Maximum size of a range, unless a single key has more rows. */
export type RangeLimits = { readonly keys: number; readonly rows: number };

/**
 * A merge holds one range of each of its inputs, which are many while a slice is being filled: one
 * of two meters takes up to 3 MB.
 */
export const RANGE_LIMITS: RangeLimits = { keys: 65_536, rows: 65_536 };

/** The ranges of a segment, ascending. A store reads each range on demand. */
export type RangeStream = AsyncIterable<KeyRange> | Iterable<KeyRange>;

type Input = {
  readonly next: () => Promise<KeyRange | null>;
  /** The range that is being merged, and the ordinal of its first key that is not merged yet. */
  pending: KeyRange | null;
  from: number;
};

/** Merges several segments of one group. Readings of the same key and bucket are combined. */
export async function* mergeRanges(
  streams: readonly RangeStream[],
  shape: SegmentShape,
  limits: RangeLimits = RANGE_LIMITS,
): AsyncGenerator<KeyRange> {
  const inputs = streams.map(openStream);
  const gathered = new RangeGatherer(limits);
  for (;;) {
    for (const input of inputs) input.pending ??= await input.next();
    const open = inputs.filter(({ pending }) => pending !== null);
    if (open.length === 0) break;
    const parts = cutAll(open, limits);
    const full = gathered.add(unite(parts, shape));
    if (full) yield* splitToLimits(full, limits);
  }
  const rest = gathered.take();
  if (rest) yield* splitToLimits(rest, limits);
}

function openStream(stream: RangeStream): Input {
  const iterator =
    Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  const next = async (): Promise<KeyRange | null> => {
    const { value, done } = await iterator.next();
    return done === true ? null : value;
  };
  return { next, pending: null, from: 0 };
}

/**
 * Takes from each input the keys up to the cut. At least one input gives its full share of keys, or
 * all that it has.
 */
function cutAll(inputs: readonly Input[], limits: RangeLimits): KeyRange[] {
  const cut = findCut(inputs, limits);
  const parts: KeyRange[] = [];
  for (const input of inputs) {
    const { pending } = input;
    if (!pending) continue;
    const { keys } = pending;
    const to = firstOrdinal(keys, (key) => compareKeys(keys, key, cut.keys, cut.ordinal) > 0);
    if (to > input.from) parts.push(splitRange(pending, input.from, to));
    const isOver = to === keys.count;
    input.from = isOver ? 0 : to;
    if (isOver) input.pending = null;
  }
  return parts;
}

/**
 * Returns the smallest of the inputs' last keys. Where an input has more keys than its share, the
 * last key of that share counts instead, which limits how many keys come together.
 */
function findCut(inputs: readonly Input[], limits: RangeLimits) {
  const share = Math.max(1, Math.floor(limits.keys / inputs.length));
  const candidates = inputs.flatMap(({ pending, from }) =>
    pending === null
      ? []
      : [{ keys: pending.keys, ordinal: Math.min(from + share, pending.keys.count) - 1 }],
  );
  const [first, ...others] = candidates;
  if (!first) throw new Error('there is nothing to cut');
  return others.reduce(
    (smallest, each) =>
      compareKeys(each.keys, each.ordinal, smallest.keys, smallest.ordinal) < 0 ? each : smallest,
    first,
  );
}

function unite(parts: readonly KeyRange[], shape: SegmentShape): KeyRange {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const { keys, maps } = uniteKeys(parts.map((part) => part.keys));
  const sources = parts.map(({ readings }, i) => ({
    readings,
    ordinalMap: maps[i] as Uint32Array,
  }));
  return {
    keys,
    readings: combineReadings(sources, { keyCount: keys.count, aggregates: shape.aggregates }),
  };
}

/** Gathers consecutive ranges until together they are large enough. */
class RangeGatherer {
  readonly #limits: RangeLimits;
  #ranges: KeyRange[] = [];
  #keys = 0;
  #rows = 0;

  constructor(limits: RangeLimits) {
    this.#limits = limits;
  }

  /**
   * Adds a range. If it would make the gathered range too large, returns what was gathered before.
   */
  add(range: KeyRange): KeyRange | null {
    const keys = range.keys.count;
    const rows = range.readings.starts.length;
    const isFull = this.#keys + keys > this.#limits.keys || this.#rows + rows > this.#limits.rows;
    const full = isFull ? this.take() : null;
    this.#ranges.push(range);
    this.#keys += keys;
    this.#rows += rows;
    return full;
  }

  take(): KeyRange | null {
    const ranges = this.#ranges;
    this.#ranges = [];
    this.#keys = 0;
    this.#rows = 0;
    return ranges.length === 0 ? null : joinRanges(ranges);
  }
}

/** Joins consecutive ranges: their rows follow each other. */
function joinRanges(ranges: readonly KeyRange[]): KeyRange {
  const [only] = ranges;
  if (only && ranges.length === 1) return only;
  const keys = joinKeyLists(ranges.map((range) => range.keys));
  const lengths = ranges.map(({ readings }) => readings.starts.length);
  const rows = lengths.reduce((sum, length) => sum + length, 0);
  const ends = new Uint32Array(keys.count);
  const starts = new Float64Array(rows);
  let key = 0;
  let row = 0;
  for (const { readings } of ranges) {
    starts.set(readings.starts, row);
    for (const end of readings.ends) {
      ends[key] = row + end;
      key += 1;
    }
    row += readings.starts.length;
  }
  const slots = ranges[0]?.readings.columns.length ?? 0;
  const columns = Array.from({ length: slots }, (_, meterIndex) =>
    joinColumns(
      ranges.map(({ readings }) => readings.columns[meterIndex] ?? null),
      lengths,
    ),
  );
  return { keys, readings: { keyCount: keys.count, ends, starts, columns } };
}

/** Splits a range into ranges within the limits. */
function* splitToLimits(range: KeyRange, limits: RangeLimits): Generator<KeyRange> {
  const { keys, readings } = range;
  if (keys.count <= limits.keys && readings.starts.length <= limits.rows) {
    yield range;
    return;
  }
  let from = 0;
  let rows = 0;
  for (let key = 0; key < keys.count; key += 1) {
    const own = keyRows(readings, key);
    const count = own.to - own.from;
    if (key > from && (key - from === limits.keys || rows + count > limits.rows)) {
      yield splitRange(range, from, key);
      from = key;
      rows = 0;
    }
    rows += count;
  }
  yield splitRange(range, from, keys.count);
}
