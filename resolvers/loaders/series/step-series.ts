import type { EpochSeconds, Interval } from '../../../domain/time/interval.ts';
import { compareExact, type Exact } from '../../../domain/toppers/exact.ts';
import type { Fold } from '../../../domain/toppers/meter-type.ts';
import { type Column, columnPart } from '../../../segments/codes/column.ts';
import { type Lanes, laneValue, setWide, wideLanes } from '../../../segments/codes/lanes.ts';
import {
  appendColumns,
  joinSparse,
  plainColumns,
  type SparsePart,
  tallyColumns,
  type ValueTally,
} from '../../../topk/blocks/join-sparse.ts';
import type { SegmentSeries } from '../../../topk/blocks/segment-series.ts';
import { createSelection } from '../../../topk/select/create-selection.ts';

/** Some readings of a key. Shifted ids are steps, counted from an origin; they may repeat. */
export type SeriesPart = SparsePart;

/** A key's readings by step, without empty steps. ids: ascending steps, counted from the origin. */
export type StepSeries = {
  readonly origin: EpochSeconds;
  readonly stepSeconds: number;
  readonly ids: Uint32Array;
  readonly column: Column;
};

const NO_READINGS: Column = { values: wideLanes(0), counts: null };

/** Combines the parts into one series, by the meter's rule. */
export function stepSeriesOf(
  origin: EpochSeconds,
  stepSeconds: number,
  parts: readonly SeriesPart[],
  fold: Fold,
): StepSeries {
  const { ids, column } = joinSparse(parts, fold);
  return { origin, stepSeconds, ids, column: column ?? NO_READINGS };
}

export const stepAt = ({ origin, stepSeconds, ids }: StepSeries, place: number): EpochSeconds =>
  origin + (ids[place] ?? 0) * stepSeconds;

export const stepValue = ({ column }: StepSeries, place: number): Exact => ({
  sum: laneValue(column.values, place),
  count: column.counts ? laneValue(column.counts, place) : 1n,
});

/**
 * Returns a function that gives the value at an index, counted from 0, of the values in ascending
 * order. Values that are doubles are not sorted: only the requested ones are selected.
 */
export function orderedSteps(series: StepSeries): (place: number) => Exact {
  const { values, counts } = series.column;
  if (values.high === null && counts === null) {
    const select = createSelection(values.low);
    return (place) => ({ sum: BigInt(select(place)), count: 1n });
  }
  let ordered: Exact[] | null = null;
  return (place) => {
    ordered ??= Array.from(series.ids, (_, i) => stepValue(series, i)).sort(compareExact);
    return ordered[place] ?? { sum: 0n, count: 1n };
  };
}

/** The values of a series, to select one by its index among the ascending values. */
export type OrderedValues = {
  /** Counts the values, and at least those that are not smaller than `least`. */
  readonly tally: (least: number) => ValueTally;
  readonly at: (place: number) => Exact;
};

/**
 * Returns the values of parts whose steps are as long as topper buckets. The parts are joined only
 * if necessary.
 */
export function orderedValues(parts: readonly SeriesPart[], fold: Fold): OrderedValues {
  const columns = fold === 'mean' ? null : plainColumns(parts);
  if (columns === null) return valuesOfSeries(stepSeriesOf(0, 1, parts, fold));
  return {
    tally: (least) => tallyColumns(columns, least),
    at: (place) => ({ sum: BigInt(numberAt(appendColumns(columns), place)), count: 1n }),
  };
}

const numberAt = (values: Float64Array, place: number): number =>
  place === values.length - 1 ? largest(values) : createSelection(values)(place);

export const valuesOfSeries = (series: StepSeries): OrderedValues => ({
  tally: () => ({ count: series.ids.length, reaching: series.ids.length }),
  at: orderedSteps(series),
});

function largest(values: Float64Array): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] as number;
    if (value > most) most = value;
  }
  return most;
}

/** Returns a part with one value at one step. */
export const valuePart = (step: number, { sum, count }: Exact): SeriesPart => ({
  ids: Uint32Array.of(step),
  shift: 0,
  columns: [{ values: oneNumber(sum), counts: oneNumber(count) }],
});

function oneNumber(value: bigint): Lanes {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return { low: Float64Array.of(number), high: null };
  const lanes = wideLanes(1);
  setWide(lanes, 0, value);
  return lanes;
}

/** How the topper buckets of a segment, counted from its first, map to steps of a series. */
export type SegmentGrid = {
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
  const first = firstAtLeast(ids, (inner.from - gridStart) / topperBucketSeconds);
  const end = firstAtLeast(ids, (inner.to - gridStart) / topperBucketSeconds);
  const isWhole = first === 0 && end === ids.length;
  const own = isWhole ? ids : ids.subarray(first, end);
  const inside = isWhole
    ? columns
    : columns.map((column) => column && columnPart(column, first, end));
  // Both grids are epoch-aligned: if steps are as long as topper buckets, only the origin differs.
  if (stepSeconds === topperBucketSeconds) {
    return { ids: own, shift: (gridStart - origin) / stepSeconds, columns: inside };
  }
  const steps = own.map((place) =>
    Math.floor((gridStart + place * topperBucketSeconds - origin) / stepSeconds),
  );
  return { ids: steps, shift: 0, columns: inside };
}

/** Returns the index of the first of the ascending ids that is not smaller. */
function firstAtLeast(ids: Uint32Array, least: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
