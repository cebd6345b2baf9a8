import { firstNotBelow } from '../../domain/first-not-below.ts';
import { floorTo } from '../../domain/time/interval.ts';
import type { Column } from '../codes/column.ts';
import type { SegmentShape } from '../shape.ts';
import { aggregateColumns } from './aggregate-columns.ts';

/**
 * Readings of a range of keys: one row for each key and bucket with a reading of any meter, ordered
 * by key, then by bucket.
 */
export type Readings = {
  /** Keys have the ordinals 0 to keyCount − 1. */
  readonly keyCount: number;
  /** The rows of the key with ordinal i end at ends[i]. */
  readonly ends: Uint32Array;
  /** By row: the start of its bucket, epoch seconds; ascending for each key. */
  readonly starts: Float64Array;
  /** By meter; null: no reading of the meter. */
  readonly columns: readonly (Column | null)[];
};

/** Readings, and the ordinals of their keys in the result; null if these are the same. */
export type ReadingSource = {
  readonly readings: Readings;
  /** Ascending. */
  readonly ordinalMap: Uint32Array | null;
};

/** The keys of a result, and how their readings are combined. */
type Combining = { readonly keyCount: number; readonly aggregates: SegmentShape['aggregates'] };

/** Used as a step instead of a number of seconds: all readings of a key together. */
export const WHOLE_SPAN = Number.POSITIVE_INFINITY;

/**
 * Combines readings of several sources into one row per key and bucket: of segments that are
 * merged, or of one source in which a key has several rows of a bucket.
 */
export function combineReadings(
  sources: readonly ReadingSource[],
  { keyCount, aggregates }: Combining,
): Readings {
  const { ends, starts, targets } = orderRows(sources, keyCount);
  const columns = aggregates.map((aggregate, meterIndex): Column | null => {
    if (aggregate === null) return null;
    const parts = sources.flatMap(({ readings }, i) => {
      const column = readings.columns[meterIndex];
      return column ? [{ column, targets: targets[i] as Uint32Array }] : [];
    });
    return parts.length === 0 ? null : aggregateColumns(parts, aggregate, starts.length);
  });
  return { keyCount, ends, starts, columns };
}

/** The rows of the result and, by source, the result row of each of its rows. */
type OrderedRows = Pick<Readings, 'ends' | 'starts'> & { readonly targets: readonly Uint32Array[] };

function orderRows(sources: readonly ReadingSource[], keyCount: number): OrderedRows {
  const total = sources.reduce((sum, { readings }) => sum + readings.starts.length, 0);
  const rows = placeRows(sources, keyCount, total);
  const ends = new Uint32Array(keyCount);
  const starts = new Float64Array(total);
  const targetOf = new Uint32Array(total);
  let count = 0;
  let from = 0;
  for (let key = 0; key < keyCount; key += 1) {
    const to = rows.ends[key] as number;
    const order = orderOf(rows.starts, from, to);
    for (let i = from; i < to; i += 1) {
      const place = order === null ? i : (order[i - from] as number);
      const start = rows.starts[place] as number;
      if (i === from || start !== starts[count - 1]) {
        starts[count] = start;
        count += 1;
      }
      targetOf[place] = count - 1;
    }
    ends[key] = count;
    from = to;
  }
  for (const places of rows.places) {
    for (let i = 0; i < places.length; i += 1) places[i] = targetOf[places[i] as number] as number;
  }
  const targets = rows.places;
  return { ends, starts: starts.subarray(0, count), targets };
}

/** Puts the rows of all sources side by side, by key, in the order of the sources. */
function placeRows(sources: readonly ReadingSource[], keyCount: number, total: number) {
  const next = new Uint32Array(keyCount + 1);
  for (const { readings, ordinalMap } of sources) {
    let from = 0;
    for (let key = 0; key < readings.keyCount; key += 1) {
      const to = readings.ends[key] as number;
      const after = (ordinalMap === null ? key : (ordinalMap[key] as number)) + 1;
      next[after] = (next[after] as number) + to - from;
      from = to;
    }
  }
  for (let key = 0; key < keyCount; key += 1) {
    next[key + 1] = (next[key + 1] as number) + (next[key] as number);
  }
  const starts = new Float64Array(total);
  const places = sources.map(({ readings, ordinalMap }) => {
    const own = new Uint32Array(readings.starts.length);
    let row = 0;
    for (let key = 0; key < readings.keyCount; key += 1) {
      const target = ordinalMap === null ? key : (ordinalMap[key] as number);
      let place = next[target] as number;
      for (; row < (readings.ends[key] as number); row += 1) {
        starts[place] = readings.starts[row] as number;
        own[row] = place;
        place += 1;
      }
      next[target] = place;
    }
    return own;
  });
  return { starts, places, ends: next.subarray(0, keyCount) };
}

/** Returns the places of a key's rows in the order of time; null: they are in order. */
function orderOf(starts: Float64Array, from: number, to: number): Uint32Array | null {
  let isAscending = true;
  for (let i = from + 1; i < to; i += 1) {
    if ((starts[i] as number) < (starts[i - 1] as number)) isAscending = false;
  }
  if (isAscending) return null;
  const order = Uint32Array.from({ length: to - from }, (_, i) => from + i);
  return order.sort((a, b) => (starts[a] as number) - (starts[b] as number) || a - b);
}

/**
 * Combines readings into coarser steps, counted from 1970. `stepSeconds` is a multiple of the
 * buckets, or WHOLE_SPAN for a single step, which starts with the key's first bucket.
 */
export function coarserReadings(
  readings: Readings,
  stepSeconds: number,
  aggregates: SegmentShape['aggregates'],
): Readings {
  const { keyCount, starts } = readings;
  const targets = new Uint32Array(starts.length);
  const ends = new Uint32Array(keyCount);
  const steps = new Float64Array(starts.length);
  let count = 0;
  let row = 0;
  for (let key = 0; key < keyCount; key += 1) {
    let stepEnd = Number.NEGATIVE_INFINITY;
    for (; row < (readings.ends[key] as number); row += 1) {
      const start = starts[row] as number;
      if (start >= stepEnd) {
        const step = stepSeconds === WHOLE_SPAN ? start : floorTo(start, stepSeconds);
        stepEnd = step + stepSeconds;
        steps[count] = step;
        count += 1;
      }
      targets[row] = count - 1;
    }
    ends[key] = count;
  }
  const columns = aggregateAll(readings, { targets, length: count, aggregates });
  return { keyCount, ends, starts: steps.subarray(0, count), columns };
}

/** Combines all keys into one, by steps counted from 1970. */
export function totalsOf(
  readings: Readings,
  stepSeconds: number,
  aggregates: SegmentShape['aggregates'],
): Readings {
  const indexes = new Map<number, number>();
  const steps: number[] = [];
  const targets = new Uint32Array(readings.starts.length);
  let last = -1;
  let from = Number.POSITIVE_INFINITY;
  for (let row = 0; row < targets.length; row += 1) {
    const start = readings.starts[row] as number;
    if (start < from || start >= from + stepSeconds) {
      from = floorTo(start, stepSeconds);
      last = indexes.get(from) ?? -1;
      if (last < 0) {
        last = steps.push(from) - 1;
        indexes.set(from, last);
      }
    }
    targets[row] = last;
  }
  const starts = Float64Array.from(steps).sort();
  const rankOf = Uint32Array.from(steps, (step) => firstNotBelow(starts, step));
  for (let row = 0; row < targets.length; row += 1) {
    targets[row] = rankOf[targets[row] as number] as number;
  }
  const columns = aggregateAll(readings, { targets, length: starts.length, aggregates });
  return { keyCount: 1, ends: Uint32Array.of(starts.length), starts, columns };
}

type AggregateInto = Pick<Combining, 'aggregates'> & {
  readonly targets: Uint32Array;
  readonly length: number;
};

const aggregateAll = ({ columns }: Readings, { targets, length, aggregates }: AggregateInto) =>
  aggregates.map((aggregate, meterIndex): Column | null => {
    const column = columns[meterIndex];
    return aggregate === null || !column
      ? null
      : aggregateColumns([{ column, targets }], aggregate, length);
  });

/** Returns the rows of a key. */
export const keyRows = ({ ends }: Readings, key: number): { from: number; to: number } => ({
  from: key === 0 ? 0 : (ends[key - 1] as number),
  to: ends[key] as number,
});
