import type { KeySeriesRow } from '../../db/queries/select-key-series.ts';
import { compareExact, type Exact } from '../../domain/exact.ts';
import type { EpochSeconds, Interval } from '../../domain/interval.ts';
import type { Fold } from '../../domain/meter-type.ts';
import { type Lanes, laneValue, setWide, wideLanes } from '../../segments/codes/lanes.ts';
import { createSelection } from '../../topk/create-selection.ts';
import { joinSparse, type SparsePart } from '../../topk/join-sparse.ts';
import { seriesGrid } from '../../topk/key-series.ts';
import {
  type BlockColumn,
  blockPlaces,
  columnPlaces,
  type ShardBlock,
} from '../../topk/packed-run.ts';
import { unpackBlock } from '../../topk/unpack-run.ts';

export type { KeyPlace } from '../../topk/key-rows.ts';
export { WHOLE_GROUP } from '../../topk/key-series.ts';

/** Some readings of a key: ids, shifted, are steps from an origin on, which may repeat. */
export type SeriesPart = SparsePart;

/** A key's readings by step; steps without one are left out. Ids ascend from the origin's, 0. */
export type StepSeries = {
  readonly origin: EpochSeconds;
  readonly stepSeconds: number;
  readonly ids: Uint32Array;
  readonly column: BlockColumn;
};

const NO_READINGS: BlockColumn = { values: wideLanes(0), counts: null };

/** The parts as one series, by the meter's rule. */
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
 * The values from the smallest on: a function that gives the one at a place, counted from 0. Where
 * doubles hold the values, only what is asked for is put in its place.
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

/** One value at one step. */
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

type StepRow = { readonly at: EpochSeconds; readonly value: string; readonly count: string };

/** What SQL made of samples, ascending by time. */
export function stepRows(
  origin: EpochSeconds,
  stepSeconds: number,
  rows: readonly StepRow[],
): StepSeries {
  const [values, counts] = [wideLanes(rows.length), wideLanes(rows.length)];
  const ids = Uint32Array.from(rows, ({ at }) => (at - origin) / stepSeconds);
  for (const [place, { value, count }] of rows.entries()) {
    setWide(values, place, BigInt(value));
    setWide(counts, place, BigInt(count));
  }
  return { origin, stepSeconds, ids, column: { values, counts } };
}

export type PageGrid = {
  readonly sliceStart: EpochSeconds;
  readonly topperBucketSeconds: number;
  readonly origin: EpochSeconds;
  readonly stepSeconds: number;
  /** Only topper buckets that lie in it count. */
  readonly inner: Interval;
};

/** What a page of series has of the wanted keys, by place on its slice's grid. */
export function* pageReadings(
  row: KeySeriesRow,
  isWanted: (keyId: number) => boolean,
): Generator<{ keyId: number; readings: Pick<ShardBlock, 'ids' | 'columns'> }> {
  const places = blockPlaces(row.keys, row.start, 1);
  if (row.values.length === 0) return;
  const columns = columnPlaces(row.values, 0, places.length);
  for (const [i, place] of places.entries()) {
    const column = columns[i];
    if (!column || column.flags === 0 || !isWanted(place.start)) continue;
    const readings = unpackBlock(row.keys, place, [{ data: row.values, place: column }]);
    yield { keyId: place.start, readings };
  }
}

/** From places on the slice's grid of topper buckets to steps of the series. */
export function onSteps(
  { ids, columns }: Pick<ShardBlock, 'ids' | 'columns'>,
  grid: PageGrid,
): SeriesPart {
  const { origin: gridStart } = seriesGrid(grid.sliceStart, grid.topperBucketSeconds);
  const { inner, topperBucketSeconds, origin, stepSeconds } = grid;
  const first = firstAtLeast(ids, (inner.from - gridStart) / topperBucketSeconds);
  const end = firstAtLeast(ids, (inner.to - gridStart) / topperBucketSeconds);
  const isWhole = first === 0 && end === ids.length;
  const own = isWhole ? ids : ids.subarray(first, end);
  const inside = isWhole ? columns : columns.map((column) => column && partOf(column, first, end));
  // Both grids are of the epoch: steps as long as a topper bucket are its places from elsewhere on.
  if (stepSeconds === topperBucketSeconds) {
    return { ids: own, shift: (gridStart - origin) / stepSeconds, columns: inside };
  }
  const steps = own.map((place) =>
    Math.floor((gridStart + place * topperBucketSeconds - origin) / stepSeconds),
  );
  return { ids: steps, shift: 0, columns: inside };
}

/** Ids ascend. */
function firstAtLeast(ids: Uint32Array, least: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

const partOf = ({ values, counts }: BlockColumn, from: number, to: number): BlockColumn => {
  const part = ({ low, high }: BlockColumn['values']) => ({
    low: low.subarray(from, to),
    high: high?.subarray(from, to) ?? null,
  });
  return { values: part(values), counts: counts && part(counts) };
};
