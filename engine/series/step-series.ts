import { firstNotBelow } from '../../domain/first-not-below.ts';
import type { EpochSeconds, Interval } from '../../domain/time/interval.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import { type Column, columnPart } from '../../segments/codes/column.ts';
import { type Lanes, laneValue, setWide, wideLanes } from '../../segments/codes/lanes.ts';
import { type Joined, joinSparse, type SparsePart } from '../kernel/blocks/join-sparse.ts';
import type { SegmentSeries } from '../kernel/blocks/segment-series.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';

/** Some readings of a key. Shifted ids are steps, counted from an origin; they may repeat. */
export type SeriesPart = SparsePart & {
  /** The segment that has the readings; none for topper buckets that the window cuts. */
  readonly segment?: ScopedSegment;
};

const NO_READINGS: Column = { values: wideLanes(0), counts: null };

/** A key's readings by step, without empty steps. Its parts are joined when that is needed. */
export class StepSeries {
  readonly origin: EpochSeconds;
  readonly stepSeconds: number;
  readonly #parts: readonly SeriesPart[];
  readonly aggregate: Aggregate;
  #joined: Joined | null = null;

  constructor(
    { origin, stepSeconds }: Pick<StepSeries, 'origin' | 'stepSeconds'>,
    parts: readonly SeriesPart[],
    aggregate: Aggregate,
  ) {
    this.origin = origin;
    this.stepSeconds = stepSeconds;
    this.#parts = parts;
    this.aggregate = aggregate;
  }

  /** Ascending steps, counted from the origin. */
  get ids(): Uint32Array {
    return this.#join().ids;
  }

  get column(): Column {
    return this.#join().column ?? NO_READINGS;
  }

  #join(): Joined {
    this.#joined ??= joinSparse(this.#parts, this.aggregate);
    return this.#joined;
  }
}

export const stepAt = ({ origin, stepSeconds, ids }: StepSeries, index: number): EpochSeconds =>
  origin + (ids[index] ?? 0) * stepSeconds;

export const stepValue = ({ column }: StepSeries, index: number): Exact => ({
  sum: laneValue(column.values, index),
  count: column.counts ? laneValue(column.counts, index) : 1n,
});

/** Returns a part with one value at one step. */
export const valuePart = (step: number, { sum, count }: Exact): SeriesPart => ({
  ids: Uint32Array.of(step),
  shift: 0,
  columns: [{ values: oneNumber(sum), counts: count === 1n ? null : oneNumber(count) }],
});

function oneNumber(value: bigint): Lanes {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return { low: Float64Array.of(number), high: null };
  const lanes = wideLanes(1);
  setWide(lanes, 0, value);
  return lanes;
}

/** How the topper buckets of a segment, counted from its first, map to steps of a series. */
type SegmentGrid = {
  /** Start of the first topper bucket. */
  readonly start: EpochSeconds;
  readonly topperBucketSeconds: number;
  readonly origin: EpochSeconds;
  readonly stepSeconds: number;
  /** Only topper buckets in this interval count. */
  readonly inner: Interval;
};

/** Converts topper buckets of a segment to steps of a series. */
export function onSteps({ ids, columns }: SegmentSeries, grid: SegmentGrid): SeriesPart {
  const { start: gridStart, inner, topperBucketSeconds, origin, stepSeconds } = grid;
  const first = firstNotBelow(ids, (inner.from - gridStart) / topperBucketSeconds);
  const end = firstNotBelow(ids, (inner.to - gridStart) / topperBucketSeconds);
  const isWhole = first === 0 && end === ids.length;
  const own = isWhole ? ids : ids.subarray(first, end);
  const inside = isWhole
    ? columns
    : columns.map((column) => column && columnPart(column, first, end));
  // Both grids are epoch-aligned: if steps are as long as topper buckets, only the origin differs.
  if (stepSeconds === topperBucketSeconds) {
    return { ids: own, shift: (gridStart - origin) / stepSeconds, columns: inside };
  }
  const steps = own.map((bucketIndex) =>
    Math.floor((gridStart + bucketIndex * topperBucketSeconds - origin) / stepSeconds),
  );
  return { ids: steps, shift: 0, columns: inside };
}
