import fc from 'fast-check';
import { floorTo } from '../../domain/time/interval.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import type { Column } from '../../segments/codes/column.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
import { ReadingGatherer } from '../../segments/gather/reading-gatherer.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import { keyAt } from '../../segments/keys/key-list.ts';
import { mergeRanges, type RangeLimits } from '../../segments/merge/merge-ranges.ts';
import { type Directory, readDirectory } from '../../segments/pages/directory.ts';
import type { StoredPage } from '../../segments/pages/page-cutter.ts';
import { readSource } from '../../segments/pages/read-source.ts';
import { createSections, type Sections } from '../../segments/pages/sections.ts';
import { SegmentWriter } from '../../segments/pages/segment-writer.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import { keyRows } from '../../segments/readings/readings.ts';
import { rollUpShape } from '../../segments/roll-up-shape.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import type { BucketSpan } from '../../segments/span.ts';

/** A reading of any size, for tests: exact but slow. */
export type PlainReading = { readonly value: bigint; readonly count: bigint };

export type PlainSample = {
  readonly key: string;
  /** The start of a bucket. */
  readonly bucket: number;
  /** By slot − 1. */
  readonly readings: readonly (PlainReading | null)[];
};

/** `key bucket slot` → the combined reading. */
export type PlainTable = Map<string, PlainReading>;

export const AGGREGATES: readonly (Aggregate | null)[] = [
  'sum',
  'mean',
  null,
  'max',
  'min',
  'rate',
];

export const SHAPE: SegmentShape = {
  keyKind: 'ip',
  partKinds: null,
  bucketSeconds: 60,
  topperBucketSeconds: 300,
  aggregates: AGGREGATES,
};

export const CODEC = keyCodecOf(SHAPE);

const FIRST_BUCKET = 1_752_537_600;

const isCounting = (aggregate: Aggregate | null) => aggregate === 'sum' || aggregate === 'rate';

/** Mostly small, as traffic is; sometimes at the limits of a reading (decision 8). */
const magnitudes = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 0n, max: 3000n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 2n ** 52n - 2n, max: 2n ** 53n + 2n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }) },
);

const readingOf = (aggregate: Aggregate | null) =>
  aggregate === null
    ? fc.constant(null)
    : fc.option(
        fc.record({
          value: isCounting(aggregate)
            ? magnitudes
            : fc
                .tuple(magnitudes, fc.boolean())
                .map(([value, isNegative]) => (isNegative ? -value : value)),
          count: aggregate === 'mean' ? fc.bigInt({ min: 1n, max: 5n }) : fc.constant(1n),
        }),
      );

const keyTexts = fc.oneof(
  fc.nat({ max: 40 }).map((host) => `C0.A8.01.${hex(host)}`),
  fc.nat({ max: 3 }).map((host) => `C0.A8.01.00.00.00.00.00.00.00.00.00.00.00.00.${hex(host)}`),
);

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

export const samples: fc.Arbitrary<PlainSample[]> = fc
  .tuple(fc.constantFrom(1, 3, 70, 200), fc.constantFrom(5, 60))
  .chain(([buckets, most]) =>
    fc.array(
      fc.record({
        key: keyTexts,
        bucket: fc.nat({ max: buckets - 1 }).map((index) => FIRST_BUCKET + 60 * index),
        readings: fc.tuple(...AGGREGATES.map(readingOf)),
      }),
      { minLength: 1, maxLength: most },
    ),
  );

/** Combines one sample after another, by the rules of decision 23. */
export function plainTable(
  list: readonly PlainSample[],
  stepSeconds = 1,
  keyOf = ({ key }: PlainSample): string => key,
): PlainTable {
  const table: PlainTable = new Map();
  const first = Math.min(...list.map(({ bucket }) => bucket));
  for (const sample of list) {
    const step = Number.isFinite(stepSeconds) ? floorTo(sample.bucket, stepSeconds) : first;
    for (const [meterIndex, reading] of sample.readings.entries()) {
      const aggregate = AGGREGATES[meterIndex] ?? null;
      if (reading === null || aggregate === null) continue;
      const at = `${keyOf(sample)} ${step} ${meterIndex}`;
      table.set(at, combine(aggregate, table.get(at), reading));
    }
  }
  return table;
}

function combine(
  aggregate: Aggregate,
  so: PlainReading | undefined,
  { value, count }: PlainReading,
) {
  if (!so) return { value, count: aggregate === 'mean' ? count : 1n };
  if (aggregate === 'max') return { value: so.value > value ? so.value : value, count: 1n };
  if (aggregate === 'min') return { value: so.value < value ? so.value : value, count: 1n };
  return { value: so.value + value, count: aggregate === 'mean' ? so.count + count : 1n };
}

/** The readings of a range as a plain table. */
export function tableOfRange({ keys, readings }: KeyRange): PlainTable {
  const table: PlainTable = new Map();
  for (let ordinal = 0; ordinal < keys.count; ordinal += 1) {
    const key = CODEC.decode(keyAt(keys, ordinal));
    const { from, to } = keyRows(readings, ordinal);
    for (let row = from; row < to; row += 1) {
      for (const [meterIndex, column] of readings.columns.entries()) {
        const reading = column && readingAt(column, row);
        if (reading) table.set(`${key} ${readings.starts[row]} ${meterIndex}`, reading);
      }
    }
  }
  return table;
}

export function readingAt({ values, counts }: Column, row: number): PlainReading | null {
  if (Number.isNaN(values.low[row])) return null;
  return { value: laneValue(values, row), count: counts === null ? 1n : laneValue(counts, row) };
}

export const sorted = (table: PlainTable) => [...table].sort(([a], [b]) => (a < b ? -1 : 1));

export function gather(
  list: readonly PlainSample[],
  gatherer = new ReadingGatherer(SHAPE),
): ReadingGatherer {
  for (const { key, bucket, readings } of list) {
    const row = gatherer.addRow(bucket, gatherer.keys.indexOf(CODEC.encode(key)));
    for (const [meterIndex, reading] of readings.entries()) {
      if (reading === null) continue;
      gatherer.putValue(meterIndex, row, asGiven(reading.value));
      if (AGGREGATES[meterIndex] === 'mean')
        gatherer.putCount(meterIndex, row, asGiven(reading.count));
    }
  }
  return gatherer;
}

/** A number if that is exact, as file readers yield it. */
const asGiven = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

export type PlainSegment = {
  readonly directory: Uint8Array;
  readonly pages: readonly Uint8Array[];
};

export const spanOf = (list: readonly PlainSample[]): BucketSpan => ({
  first: Math.min(...list.map(({ bucket }) => bucket)),
  last: Math.max(...list.map(({ bucket }) => bucket)),
});

export function writeRanges(
  ranges: Iterable<KeyRange>,
  span: BucketSpan,
  shape = SHAPE,
): PlainSegment {
  const writer = new SegmentWriter({ shape, codec: CODEC, span, nonce: 0xfeed });
  const pages: StoredPage[] = [];
  for (const range of ranges) pages.push(...writer.addRange(range));
  const { directory, pages: last } = writer.finish();
  pages.push(...last);
  return { directory, pages: pages.map(({ bytes }) => bytes) };
}

/** Writes a roll-up of these segments and roll-ups, with small ranges. */
export async function writeRollUp(
  sources: readonly PlainSegment[],
  limits = SMALL,
): Promise<PlainSegment> {
  const shape = rollUpShape(SHAPE);
  const span = { first: 0, last: sources.length - 1 };
  const writer = new SegmentWriter({ shape, codec: CODEC, span, nonce: 0xfeed, isRollUp: true });
  const pages: StoredPage[] = [];
  const streams = sources.map((source, number) => wholeRanges(source, number));
  for await (const range of mergeRanges(streams, shape, limits))
    pages.push(...writer.addRange(range));
  const { directory, pages: last } = writer.finish();
  pages.push(...last);
  return { directory, pages: pages.map(({ bytes }) => bytes) };
}

function wholeRanges(source: PlainSegment, number: number): KeyRange[] {
  const { directory, sections } = openSegment(source);
  return directory.ranges.map((range) => readSource({ range, sections }, CODEC, number));
}

/** Small, so that a segment of a test has several ranges. */
export const SMALL: RangeLimits = { keys: 7, rows: 40 };

export const writeSegment = (list: readonly PlainSample[], limits = SMALL): PlainSegment =>
  writeRanges(gather(list).ranges(limits), spanOf(list));

export type OpenSegment = { readonly directory: Directory; readonly sections: Sections };

export function openSegment({ directory: bytes, pages }: PlainSegment): OpenSegment {
  const directory = readDirectory(bytes);
  const pageOf = (number: number) => pages[number] ?? new Uint8Array(0);
  return { directory, sections: createSections(directory, pageOf) };
}
