import { type Fold, isCounting } from '../domain/meter-type.ts';
import {
  approximate,
  carry,
  HIGH_UNIT,
  isWide,
  type Lanes,
  NARROW_BOUND,
  type WideLanes,
} from '../segments/codes/lanes.ts';
import { giveBackLanes, takeLanes } from './scratch.ts';
import type { UnitColumn } from './unit-column.ts';

/**
 * The keys of a block and what they read of one meter. sign −1: they are to be taken out of the
 * others again, which only a counter allows.
 */
export type UnitReadings = {
  /** Of all shards one after the other, those of shard n ending at shardEnds[n]. */
  readonly ids: Uint32Array;
  readonly shardEnds: Uint32Array;
  readonly column: UnitColumn;
  readonly sign: 1 | -1;
};

/**
 * What each key of a group comes to. A shard's rows begin at starts[shard]: one for each key id from 0
 * on, or (listed) one for each key that is there, whose id is listed[row]. A key without a
 * reading has 0 in a counter, a count of 0 in a mean, ∓Infinity in `low` of a maximum or minimum.
 */
export type Folded = {
  readonly fold: Fold;
  readonly starts: Uint32Array;
  /** Ids by row, ascending in each shard; the values are a block's own, and NaN is no reading. */
  readonly listed: Uint32Array | null;
  readonly values: Lanes;
  readonly counts: Lanes | null;
  /** The rows of all keys with readings, where these are few; null: any row may be of one. */
  readonly touched: Uint32Array | null;
};

/**
 * Adds up blocks by the meter's rule, exactly. Keys are dense integers, so this is one addition
 * into an array for each reading; the keys of one shard follow each other, so that what is added
 * to stays in the processor's cache. Doubles add whole numbers exactly up to 2^53; where the bounds
 * of the blocks say that a sum may pass that, two lanes are added instead of one.
 */
export function foldUnits(units: readonly UnitReadings[], fold: Fold): Folded {
  if (!isCounting(fold) && units.some(({ sign }) => sign === -1)) {
    throw new Error(`readings that combine by ${fold} cannot be taken out again`);
  }
  const starts = shardStarts(units);
  const rows = starts.at(-1) ?? 0;
  // Zero is no reading of a sum, but it is one of an extreme: there all rows have to be filled.
  const isExtreme = fold === 'max' || fold === 'min';
  const touched = isExtreme ? null : touchedRows(units, starts, rows);
  const values = valueLanes(units, fold, rows);
  if (isExtreme) fillExtremes(values, fold);
  const counts = fold === 'mean' ? countLanes(units, rows) : null;
  const step = stepOf(fold, values);
  for (const unit of units) {
    step(values, starts, unit);
    if (counts) countStep(counts, starts, unit);
  }
  if (isWide(values) && (isCounting(fold) || fold === 'mean')) carry(values);
  if (counts && isWide(counts)) carry(counts);
  return { fold, starts, listed: null, values, counts, touched };
}

/** Lets the memory of a result that nobody uses any more be used again. */
export function releaseFolded({ values, counts, touched, listed }: Folded): void {
  if (listed) return;
  giveBackLanes(values, touched);
  if (counts) giveBackLanes(counts, touched);
}

/** Below this part of all keys it costs less to note which ones are met than to look at all. */
const FEW = 1 / 4;

let marks = new Uint8Array(0);

function touchedRows(
  units: readonly UnitReadings[],
  starts: Uint32Array,
  rows: number,
): Uint32Array | null {
  const readings = units.reduce((sum, { ids }) => sum + ids.length, 0);
  if (readings >= rows * FEW) return null;
  if (marks.length < rows) marks = new Uint8Array(rows);
  const touched = new Uint32Array(readings);
  let length = 0;
  for (const { ids, shardEnds } of units) {
    let row = 0;
    for (let shard = 0; shard < shardEnds.length; shard += 1) {
      const [base, end] = [starts[shard] as number, shardEnds[shard] as number];
      for (; row < end; row += 1) {
        const key = base + (ids[row] as number);
        touched[length] = key;
        length += marks[key] === 0 ? 1 : 0;
        marks[key] = 1;
      }
    }
  }
  for (let i = 0; i < length; i += 1) marks[touched[i] as number] = 0;
  return touched.subarray(0, length);
}

/** Room for the highest id of each shard: ids ascend, so it is the last one of each block. */
function shardStarts(units: readonly UnitReadings[]): Uint32Array {
  const shards = units.reduce((most, { shardEnds }) => Math.max(most, shardEnds.length), 0);
  const room = new Uint32Array(shards + 1);
  for (const { ids, shardEnds } of units) {
    let from = 0;
    for (let shard = 0; shard < shardEnds.length; shard += 1) {
      const end = shardEnds[shard] ?? from;
      const needed = end > from ? (ids[end - 1] ?? 0) + 1 : 0;
      if (needed > (room[shard + 1] ?? 0)) room[shard + 1] = needed;
      from = end;
    }
  }
  for (let shard = 1; shard <= shards; shard += 1) {
    room[shard] = (room[shard] ?? 0) + (room[shard - 1] ?? 0);
  }
  return room;
}

function valueLanes(units: readonly UnitReadings[], fold: Fold, rows: number): Lanes {
  const isExtreme = fold === 'max' || fold === 'min';
  const bound = units.reduce((sum, { column }) => sum + column.bound, 0);
  const wide =
    units.some(({ column }) => isWide(column.values)) || (!isExtreme && bound >= NARROW_BOUND);
  return takeLanes(rows, wide);
}

function fillExtremes({ low, high }: Lanes, fold: 'max' | 'min'): void {
  const nothing = fold === 'max' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  low.fill(nothing);
  high?.fill(nothing);
}

function countLanes(units: readonly UnitReadings[], rows: number): Lanes {
  const bound = units.reduce((sum, { column }) => sum + column.countBound, 0);
  return takeLanes(rows, bound >= NARROW_BOUND);
}

type Step = (into: Lanes, starts: Uint32Array, unit: UnitReadings) => void;

function stepOf(fold: Fold, into: Lanes): Step {
  switch (fold) {
    case 'sum':
    case 'rate':
    case 'mean':
      return isWide(into) ? addWide : addNarrow;
    case 'max':
      return isWide(into) ? extremeWide(1) : maxNarrow;
    case 'min':
      return isWide(into) ? extremeWide(-1) : minNarrow;
    default:
      return fold satisfies never;
  }
}

/** Calls `body` with the rows of each shard and where its keys begin in the result. */
function eachShard(
  { shardEnds }: UnitReadings,
  starts: Uint32Array,
  body: (from: number, to: number, base: number) => void,
): void {
  let from = 0;
  for (let shard = 0; shard < shardEnds.length; shard += 1) {
    const to = shardEnds[shard] ?? from;
    if (to > from) body(from, to, starts[shard] ?? 0);
    from = to;
  }
}

const addNarrow: Step = (into, starts, unit) => {
  const { ids, column } = unit;
  const [sums, { low }] = [into.low, column.values];
  eachShard(unit, starts, (from, to, base) => {
    addRows(sums, base, ids, low, from, to, unit.sign);
  });
};

// The innermost loops are functions of plain arrays and numbers, which V8 compiles to a few machine
// instructions a reading. A row without a reading is NaN, and no comparison holds for it.

function addRows(
  sums: Float64Array,
  base: number,
  ids: Uint32Array,
  low: Float64Array,
  from: number,
  to: number,
  sign: 1 | -1,
): void {
  for (let row = from; row < to; row += 1) {
    const value = low[row] as number;
    if (value !== 0 && !Number.isNaN(value)) {
      const key = base + (ids[row] as number);
      sums[key] = (sums[key] as number) + sign * value;
    }
  }
}

const maxNarrow: Step = (into, starts, unit) => {
  const { ids, column } = unit;
  const [most, { low }] = [into.low, column.values];
  eachShard(unit, starts, (from, to, base) => {
    for (let row = from; row < to; row += 1) {
      const key = base + (ids[row] as number);
      const value = low[row] as number;
      if (value > (most[key] as number)) most[key] = value;
    }
  });
};

const minNarrow: Step = (into, starts, unit) => {
  const { ids, column } = unit;
  const [least, { low }] = [into.low, column.values];
  eachShard(unit, starts, (from, to, base) => {
    for (let row = from; row < to; row += 1) {
      const key = base + (ids[row] as number);
      const value = low[row] as number;
      if (value < (least[key] as number)) least[key] = value;
    }
  });
};

const addWide: Step = (lanes, starts, unit) => {
  const into = lanes as WideLanes;
  const { sign } = unit;
  const source = unit.column.values;
  eachShard(unit, starts, (from, to, base) => {
    for (let row = from; row < to; row += 1) {
      const value = source.low[row] as number;
      if (Number.isNaN(value)) continue;
      const key = base + (unit.ids[row] as number);
      const high = highOf(source, row, value);
      into.high[key] = (into.high[key] as number) + sign * high;
      into.low[key] = (into.low[key] as number) + sign * lowOf(source, value, high);
    }
  });
};

/** A number of narrow lanes in two parts. */
const highOf = ({ high }: Lanes, row: number, value: number): number =>
  high === null ? Math.floor(value / HIGH_UNIT) : (high[row] as number);

const lowOf = (source: Lanes, value: number, high: number): number =>
  source.high === null ? value - high * HIGH_UNIT : value;

/** sign 1: the larger, −1: the smaller of two numbers that each are high, then low. */
const extremeWide =
  (sign: 1 | -1): Step =>
  (into, starts, unit) => {
    const { low, high: highs } = into as WideLanes;
    const source = unit.column.values;
    eachShard(unit, starts, (from, to, base) => {
      for (let row = from; row < to; row += 1) {
        const value = source.low[row] as number;
        if (Number.isNaN(value)) continue;
        const key = base + (unit.ids[row] as number);
        const high = highOf(source, row, value);
        const lowPart = lowOf(source, value, high);
        const difference = high - (highs[key] as number) || lowPart - (low[key] as number);
        if (difference * sign > 0) {
          highs[key] = high;
          low[key] = lowPart;
        }
      }
    });
  };

/** Adds the number of readings behind each value of a mean: 1 where counts say nothing. */
function countStep(into: Lanes, starts: Uint32Array, unit: UnitReadings): void {
  const { values, counts } = unit.column;
  eachShard(unit, starts, (from, to, base) => {
    for (let row = from; row < to; row += 1) {
      if (Number.isNaN(values.low[row])) continue;
      const key = base + (unit.ids[row] as number);
      if (into.high === null) {
        // Their bound says that all counts together stay exact in a double.
        const whole = counts === null ? 1 : approximate(counts, row);
        into.low[key] = (into.low[key] as number) + whole;
        continue;
      }
      const count = counts === null ? 1 : (counts.low[row] as number);
      const high = counts === null ? 0 : highOf(counts, row, count);
      into.high[key] = (into.high[key] as number) + high;
      into.low[key] = (into.low[key] as number) + (counts ? lowOf(counts, count, high) : 1);
    }
  });
}
