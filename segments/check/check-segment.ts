import type { KeyCodec } from '../keys/key-codec.ts';
import { compareKeys, type KeyList, keyAt, oneKey } from '../keys/key-list.ts';
import { SECTION_KEYS } from '../keys/key-section.ts';
import type { Directory, LocatedRange } from '../pages/directory.ts';
import { EVER, readBlocks, readRange, readTotals } from '../pages/read-range.ts';
import type { Sections } from '../pages/sections.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { coarserReadings, combineReadings, type Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import type { BucketSpan } from '../span.ts';
import { levelsOf, WHOLE_SPAN } from '../span.ts';
import { checkHeads } from './check-heads.ts';
import { isSeriesOf } from './check-series.ts';
import { areSameReadings } from './same-readings.ts';

/*
 * A segment stores the same readings several times, in encodings that different code writes and
 * reads, so it can verify itself. The blocks of each level are compared with the sums of the finest
 * blocks, the heads and the series with the blocks, the totals with the sums of all keys, and the
 * directory with what it lists. A wrong number is detected unless it is wrong in the same way
 * everywhere; in that case the digest of its page does not match, because only one writer writes
 * all of them.
 */

/** What is known about a segment before any of its pages is read. */
export type SegmentOutline = {
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  readonly directory: Directory;
};

/**
 * Checks a segment in steps, for pages that are fetched range by range: call `range` for each of
 * the directory's ranges in order, then `end`. Errors: DamagedSegment.
 */
export class SegmentCheck {
  readonly #outline: SegmentOutline;
  #count = 0;
  #totals: Readings | null = null;
  #span: BucketSpan | null = null;

  constructor(outline: SegmentOutline) {
    this.#outline = outline;
  }

  *range(range: LocatedRange, sections: Sections): Generator<string> {
    const { shape, codec, directory } = this.#outline;
    this.#count += 1;
    const stored = readRange({ directory, range, sections }, codec);
    for (const fault of checkRange({ ...this.#outline, sections }, range, stored)) {
      yield `range ${this.#count}: ${fault}`;
    }
    this.#totals = addTotals(this.#totals, stored.readings, shape);
    this.#span = widenSpan(this.#span, stored.readings.starts);
  }

  *end(): Generator<string> {
    const { shape, directory } = this.#outline;
    yield* checkOrder(directory.ranges);
    if (this.#span?.first !== directory.span.first || this.#span.last !== directory.span.last) {
      yield 'the readings have another span than the directory says';
    }
    if (this.#totals && !areSameReadings(this.#totals, readTotals(directory, shape))) {
      yield 'the totals are not the sums of all keys';
    }
  }
}

function* checkOrder(ranges: readonly LocatedRange[]): Generator<string> {
  for (const [i, { firstKey }] of ranges.entries()) {
    const before = ranges[i - 1];
    if (before && compareKeys(oneKey(before.lastKey), 0, oneKey(firstKey), 0) >= 0) {
      yield `range ${i + 1} begins before the one that it follows has ended`;
    }
  }
}

function* checkRange(
  { directory, shape, codec, sections }: SegmentOutline & { readonly sections: Sections },
  range: LocatedRange,
  { keys, readings }: KeyRange,
): Generator<string> {
  const source = { directory, range, sections };
  const isFirst = areBytes(range.firstKey, keyAt(keys, 0));
  if (!isFirst || !areBytes(range.lastKey, keyAt(keys, keys.count - 1))) {
    yield 'its first or last key is not the one that the directory says';
  }
  if (!range.sectionKeys.every((key, i) => isKeyAt(keys, (i + 1) * SECTION_KEYS, key))) {
    yield 'a section of its keys begins with another key than the directory says';
  }
  if (readings.starts.some((start) => start % shape.bucketSeconds !== 0)) {
    yield 'a block starts within a bucket';
  }
  if (!hasAllKeys(readings)) yield 'a key has no reading';
  const levels = levelsOf(shape, directory.span);
  const stored = range.levels.map(({ stepSeconds }) => stepSeconds);
  if (stored.toReversed().join() !== levels.join()) yield 'its levels are not those of its span';
  const meterIndexes = shape.folds.map((_, meterIndex) => meterIndex);
  const finest = range.levels.at(-1);
  for (const level of range.levels) {
    const { stepSeconds } = level;
    const sums = level === finest ? readings : coarserReadings(readings, stepSeconds, shape.folds);
    const isRight =
      level === finest ||
      areSameReadings(sums, readBlocks(source, level, { ...EVER, meterIndexes }));
    const what =
      stepSeconds === WHOLE_SPAN ? 'sums of the whole span' : `blocks of ${stepSeconds} s`;
    if (!isRight) yield `the ${what} are not what the finest blocks add up to`;
    const blocks = { keys, readings: sums };
    yield* checkHeads({ directory, sections, level, blocks, codec, folds: shape.folds });
  }
  if (!isSeriesOf(source, readings, shape)) yield 'its series differ from its blocks';
}

const isKeyAt = (keys: KeyList, ordinal: number, key: Uint8Array): boolean =>
  ordinal < keys.count && areBytes(keyAt(keys, ordinal), key);

const areBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function hasAllKeys({ keyCount, ordinals }: Readings): boolean {
  const marks = new Uint8Array(keyCount);
  for (const ordinal of ordinals) marks[ordinal] = 1;
  return !marks.includes(0);
}

function addTotals(totals: Readings | null, readings: Readings, shape: SegmentShape): Readings {
  const { topperBucketSeconds: stepSeconds, folds } = shape;
  const own = { readings, ordinalMap: new Uint32Array(readings.keyCount) };
  const sources = totals === null ? [own] : [{ readings: totals, ordinalMap: null }, own];
  return combineReadings(sources, { keyCount: 1, stepSeconds, folds });
}

function widenSpan(span: BucketSpan | null, starts: Float64Array): BucketSpan {
  const first = starts[0] as number;
  const last = starts.at(-1) as number;
  if (span === null) return { first, last };
  return { first: Math.min(span.first, first), last: Math.max(span.last, last) };
}
