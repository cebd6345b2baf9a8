import { floorTo } from '../../domain/time/interval.ts';
import type { Column } from '../codes/column.ts';
import type { SegmentShape } from '../shape.ts';
import { foldColumns } from './fold-columns.ts';

/**
 * Readings of a range of keys: one row for each key and bucket with a reading of any meter, ordered
 * by bucket, then by ordinal.
 */
export type Readings = {
  /** Keys have the ordinals 0 to keyCount − 1. */
  readonly keyCount: number;
  /** The starts of the buckets, epoch seconds. */
  readonly starts: Float64Array;
  /** The rows of bucket i end at ends[i]. */
  readonly ends: Uint32Array;
  /** By row. */
  readonly ordinals: Uint32Array;
  /** By slot − 1; null: no reading of the meter. */
  readonly columns: readonly (Column | null)[];
};

/** Readings, and the ordinals of their keys in the result; null if these are the same. */
type ReadingSource = {
  readonly readings: Readings;
  readonly ordinalMap: Uint32Array | null;
};

/** How readings are combined: into steps of `stepSeconds`, counted from 1970. */
type Grid = {
  readonly keyCount: number;
  /** Infinity means a single step, which starts with the first bucket. */
  readonly stepSeconds: number;
  readonly folds: SegmentShape['folds'];
};

/**
 * Combines readings from several sources, with one row per key and step. This one function turns
 * buckets into hours, merges several segments into one, and orders gathered readings that have
 * repetitions.
 */
export function combineReadings(sources: readonly ReadingSource[], grid: Grid): Readings {
  const { starts, ends, ordinals, targets } = groupRows(sources, grid);
  const columns = grid.folds.map((fold, meterIndex): Column | null => {
    if (fold === null) return null;
    const parts = sources.flatMap(({ readings }, i) => {
      const column = readings.columns[meterIndex];
      return column ? [{ column, targets: targets[i] as Uint32Array }] : [];
    });
    return parts.length === 0 ? null : foldColumns(parts, fold, ordinals.length);
  });
  return { keyCount: grid.keyCount, starts, ends, ordinals, columns };
}

/** The rows of the result and, by source, the result row of each of its rows. */
type RowGroups = Pick<Readings, 'starts' | 'ends' | 'ordinals'> & {
  readonly targets: readonly Uint32Array[];
};

/** Consecutive rows of a source that go into one step: their keys, and the result row of each. */
type MappedRows = {
  readonly ordinals: Uint32Array;
  readonly ordinalMap: Uint32Array | null;
  readonly targets: Uint32Array;
};

type RowSpan = { readonly source: number; readonly from: number; readonly to: number };

function groupRows(sources: readonly ReadingSource[], grid: Grid): RowGroups {
  const steps = spansByStep(sources, grid.stepSeconds);
  const starts = Float64Array.from(steps.keys()).sort();
  const ends = new Uint32Array(starts.length);
  const total = sources.reduce((sum, { readings }) => sum + readings.ordinals.length, 0);
  const ordinals = new Uint32Array(total);
  const targets = sources.map(({ readings }) => new Uint32Array(readings.ordinals.length));
  const rowOf = new Uint32Array(grid.keyCount);
  let length = 0;
  for (let step = 0; step < starts.length; step += 1) {
    const spans = (steps.get(starts[step] as number) ?? []).map(
      ({ source, from, to }): MappedRows => ({
        ordinals: (sources[source] as ReadingSource).readings.ordinals.subarray(from, to),
        ordinalMap: (sources[source] as ReadingSource).ordinalMap,
        targets: (targets[source] as Uint32Array).subarray(from, to),
      }),
    );
    length = addStepKeys(spans, { rowOf, ordinals, from: length });
    for (const span of spans) setTargets(span, rowOf);
    ends[step] = length;
  }
  return { starts, ends, ordinals: ordinals.slice(0, length), targets };
}

function spansByStep(sources: readonly ReadingSource[], stepSeconds: number) {
  const steps = new Map<number, RowSpan[]>();
  const isOneStep = stepSeconds === Number.POSITIVE_INFINITY;
  let first = Number.POSITIVE_INFINITY;
  for (const { readings } of sources) first = Math.min(first, readings.starts[0] ?? first);
  for (const [source, { readings }] of sources.entries()) {
    for (let bucket = 0; bucket < readings.starts.length; bucket += 1) {
      const start = readings.starts[bucket] as number;
      const step = isOneStep ? first : floorTo(start, stepSeconds);
      const from = bucket === 0 ? 0 : (readings.ends[bucket - 1] as number);
      const span = { source, from, to: readings.ends[bucket] as number };
      const known = steps.get(step);
      if (known) known.push(span);
      else steps.set(step, [span]);
    }
  }
  return steps;
}

/**
 * Where the keys of a step go: `ordinals` from row `from` on. `rowOf` then has the row of each key.
 */
type StepRows = {
  readonly rowOf: Uint32Array;
  readonly ordinals: Uint32Array;
  readonly from: number;
};

/** Adds the keys of a step. `rowOf` stores row + 1, so that 0 means that the key is absent. */
function addStepKeys(spans: readonly MappedRows[], { rowOf, ordinals, from }: StepRows): number {
  let length = from;
  let isAscending = true;
  let last = -1;
  rowOf.fill(0);
  for (const { ordinals: own, ordinalMap } of spans) {
    for (let row = 0; row < own.length; row += 1) {
      const key = own[row] as number;
      const ordinal = ordinalMap === null ? key : (ordinalMap[key] as number);
      if ((rowOf[ordinal] as number) !== 0) continue;
      rowOf[ordinal] = 1;
      if (ordinal < last) isAscending = false;
      last = ordinal;
      ordinals[length] = ordinal;
      length += 1;
    }
  }
  const added = ordinals.subarray(from, length);
  if (!isAscending) sortOrdinals(added, rowOf);
  for (let i = 0; i < added.length; i += 1) rowOf[added[i] as number] = from + i + 1;
  return length;
}

/** Sorts ordinals. With many keys, scanning all marks is faster than comparing. */
function sortOrdinals(ordinals: Uint32Array, marks: Uint32Array): void {
  if (ordinals.length * 16 < marks.length) {
    ordinals.sort();
    return;
  }
  let length = 0;
  for (let ordinal = 0; ordinal < marks.length; ordinal += 1) {
    if ((marks[ordinal] as number) === 0) continue;
    ordinals[length] = ordinal;
    length += 1;
  }
}

function setTargets({ ordinals, ordinalMap, targets }: MappedRows, rowOf: Uint32Array): void {
  for (let row = 0; row < ordinals.length; row += 1) {
    const own = ordinals[row] as number;
    const ordinal = ordinalMap === null ? own : (ordinalMap[own] as number);
    targets[row] = (rowOf[ordinal] as number) - 1;
  }
}

/**
 * Combines readings into coarser steps. `stepSeconds` is a multiple of theirs, or Infinity for a
 * single step.
 */
export const coarserReadings = (
  readings: Readings,
  stepSeconds: number,
  folds: SegmentShape['folds'],
): Readings =>
  combineReadings([{ readings, ordinalMap: null }], {
    keyCount: readings.keyCount,
    stepSeconds,
    folds,
  });

/** Returns the rows of a bucket. */
export const bucketRows = ({ ends }: Readings, bucket: number): { from: number; to: number } => ({
  from: bucket === 0 ? 0 : (ends[bucket - 1] as number),
  to: ends[bucket] as number,
});
