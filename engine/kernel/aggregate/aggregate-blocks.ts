import { runWhole, type Sliced } from '../../../domain/sliced.ts';
import { type Aggregate, isCounting } from '../../../domain/toppers/meter-type.ts';
import type { Column } from '../../../segments/codes/column.ts';
import {
  approximate,
  carry,
  HIGH_UNIT,
  isWide,
  type Lanes,
  NARROW_BOUND,
  type WideLanes,
} from '../../../segments/codes/lanes.ts';
import { giveBackLanes, takeLanes } from './scratch.ts';

/**
 * The keys of a block, by ordinal, and their readings of one meter. sign −1: subtract them from the
 * others, which only a counter allows.
 */
export type BlockReadings = {
  /** In ascending order. */
  readonly ids: Uint32Array;
  readonly column: BlockColumn;
  readonly sign: 1 | -1;
};

/**
 * The combined reading of each key of a group: a row for each ordinal from 0 on, or, if there are
 * `ordinals`, one for each of these. A key without a reading has 0 in a counter, a count of 0 in a
 * mean, ∓Infinity in `low` of a maximum or minimum.
 */
export type Aggregated = {
  readonly aggregate: Aggregate;
  /** By row, ascending; the values then belong to a block, and NaN means no reading. */
  readonly ordinals: Uint32Array | null;
  readonly values: Lanes;
  readonly counts: Lanes | null;
  /** The rows of all keys with readings, if these are few; null: any row may have a reading. */
  readonly touched: Uint32Array | null;
};

/**
 * Adds up blocks by the meter's rule, exactly. Ordinals are dense, so this is one addition into an
 * array for each reading; those of a block ascend, so memory is accessed from front to back.
 * Doubles add whole numbers exactly up to 2^53; if the bounds of the blocks say that a sum may
 * exceed that, two lanes are added instead of one. `rows` is the number of ordinals; without it,
 * the ids of each block must ascend.
 */
export function* aggregateInSlices(
  blocks: readonly BlockReadings[],
  aggregate: Aggregate,
  rows = rowsFor(blocks),
): Sliced<Aggregated> {
  if (!isCounting(aggregate) && blocks.some(({ sign }) => sign === -1)) {
    throw new Error(`readings that combine by ${aggregate} cannot be taken out again`);
  }
  // In a sum, 0 means no reading; in an extreme it is a value, so all rows have to be filled.
  const isExtreme = aggregate === 'max' || aggregate === 'min';
  const touched = isExtreme ? null : touchedRows(blocks, rows);
  const values = valueLanes(blocks, aggregate, rows);
  if (isExtreme) fillExtremes(values, aggregate);
  const counts = aggregate === 'mean' ? countLanes(blocks, rows) : null;
  const step = stepOf(aggregate, values);
  for (const block of blocks) {
    step(values, block);
    if (counts) countStep(counts, block);
    yield;
  }
  if (isWide(values) && (isCounting(aggregate) || aggregate === 'mean')) carry(values);
  if (counts && isWide(counts)) carry(counts);
  return { aggregate, ordinals: null, values, counts, touched };
}

export const aggregateBlocks = (
  blocks: readonly BlockReadings[],
  aggregate: Aggregate,
  rows?: number,
): Aggregated => runWhole(aggregateInSlices(blocks, aggregate, rows));

/** Makes the memory of a result that is no longer used available again. */
export function releaseAggregated({ values, counts, touched, ordinals }: Aggregated): void {
  if (ordinals) return;
  giveBackLanes(values, touched);
  if (counts) giveBackLanes(counts, touched);
}

/** Below this share of all keys, listing those with readings is cheaper than scanning all rows. */
const FEW = 1 / 4;

let marks = new Uint8Array(0);

function touchedRows(blocks: readonly BlockReadings[], rows: number): Uint32Array | null {
  const readings = blocks.reduce((sum, { ids }) => sum + ids.length, 0);
  if (readings >= rows * FEW) return null;
  if (marks.length < rows) marks = new Uint8Array(rows);
  const touched = new Uint32Array(readings);
  let length = 0;
  for (const { ids } of blocks) {
    for (let i = 0; i < ids.length; i += 1) {
      const row = ids[i] as number;
      touched[length] = row;
      length += marks[row] === 0 ? 1 : 0;
      marks[row] = 1;
    }
  }
  for (let i = 0; i < length; i += 1) marks[touched[i] as number] = 0;
  return touched.subarray(0, length);
}

/** Rows up to the highest ordinal. Ordinals ascend, so it is the last one of some block. */
const rowsFor = (blocks: readonly BlockReadings[]): number =>
  blocks.reduce((rows, { ids }) => Math.max(rows, (ids.at(-1) ?? -1) + 1), 0);

function valueLanes(blocks: readonly BlockReadings[], aggregate: Aggregate, rows: number): Lanes {
  const isExtreme = aggregate === 'max' || aggregate === 'min';
  const bound = blocks.reduce((sum, { column }) => sum + column.bound, 0);
  const wide =
    blocks.some(({ column }) => isWide(column.values)) || (!isExtreme && bound >= NARROW_BOUND);
  return takeLanes(rows, wide);
}

function fillExtremes({ low, high }: Lanes, aggregate: 'max' | 'min'): void {
  const nothing = aggregate === 'max' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  low.fill(nothing);
  high?.fill(nothing);
}

function countLanes(blocks: readonly BlockReadings[], rows: number): Lanes {
  const bound = blocks.reduce((sum, { column }) => sum + column.countBound, 0);
  return takeLanes(rows, bound >= NARROW_BOUND);
}

type Step = (into: Lanes, block: BlockReadings) => void;

function stepOf(aggregate: Aggregate, into: Lanes): Step {
  switch (aggregate) {
    case 'sum':
    case 'rate':
    case 'mean':
      return isWide(into) ? addWide : addNarrow;
    case 'max':
      return isWide(into) ? extremeWide(1) : maxNarrow;
    case 'min':
      return isWide(into) ? extremeWide(-1) : minNarrow;
    default:
      return aggregate satisfies never;
  }
}

// The loops are over plain arrays and numbers, which V8 compiles to a few machine instructions a
// reading. A row without a reading is NaN, and no comparison holds for it.

const addNarrow: Step = ({ low: sums }, { ids, column, sign }) => {
  const { low } = column.values;
  for (let row = 0; row < ids.length; row += 1) {
    const value = low[row] as number;
    if (value !== 0 && !Number.isNaN(value)) {
      const key = ids[row] as number;
      sums[key] = (sums[key] as number) + sign * value;
    }
  }
};

const maxNarrow: Step = ({ low: max }, { ids, column }) => {
  const { low } = column.values;
  for (let row = 0; row < ids.length; row += 1) {
    const key = ids[row] as number;
    const value = low[row] as number;
    if (value > (max[key] as number)) max[key] = value;
  }
};

const minNarrow: Step = ({ low: min }, { ids, column }) => {
  const { low } = column.values;
  for (let row = 0; row < ids.length; row += 1) {
    const key = ids[row] as number;
    const value = low[row] as number;
    if (value < (min[key] as number)) min[key] = value;
  }
};

const addWide: Step = (lanes, { ids, column, sign }) => {
  const into = lanes as WideLanes;
  const source = column.values;
  for (let row = 0; row < ids.length; row += 1) {
    const value = source.low[row] as number;
    if (Number.isNaN(value)) continue;
    const key = ids[row] as number;
    const high = highOf(source, row, value);
    into.high[key] = (into.high[key] as number) + sign * high;
    into.low[key] = (into.low[key] as number) + sign * lowOf(source, value, high);
  }
};

/** A number of narrow lanes, in two parts. */
const highOf = ({ high }: Lanes, row: number, value: number): number =>
  high === null ? Math.floor(value / HIGH_UNIT) : (high[row] as number);

const lowOf = (source: Lanes, value: number, high: number): number =>
  source.high === null ? value - high * HIGH_UNIT : value;

/** Returns the larger (sign 1) or the smaller (−1) of two numbers, each given as high and low. */
const extremeWide =
  (sign: 1 | -1): Step =>
  (into, { ids, column }) => {
    const { low, high: highs } = into as WideLanes;
    const source = column.values;
    for (let row = 0; row < ids.length; row += 1) {
      const value = source.low[row] as number;
      if (Number.isNaN(value)) continue;
      const key = ids[row] as number;
      const high = highOf(source, row, value);
      const lowPart = lowOf(source, value, high);
      const difference = high - (highs[key] as number) || lowPart - (low[key] as number);
      if (difference * sign > 0) {
        highs[key] = high;
        low[key] = lowPart;
      }
    }
  };

/** Adds the number of readings behind each value of a mean: 1 if there are no counts. */
function countStep(into: Lanes, { ids, column }: BlockReadings): void {
  const { values, counts } = column;
  for (let row = 0; row < ids.length; row += 1) {
    if (Number.isNaN(values.low[row])) continue;
    const key = ids[row] as number;
    if (into.high === null) {
      // Their bound guarantees that the sum of all counts is exact in a double.
      const whole = counts === null ? 1 : approximate(counts, row);
      into.low[key] = (into.low[key] as number) + whole;
      continue;
    }
    const count = counts === null ? 1 : (counts.low[row] as number);
    const high = counts === null ? 0 : highOf(counts, row, count);
    into.high[key] = (into.high[key] as number) + high;
    into.low[key] = (into.low[key] as number) + (counts ? lowOf(counts, count, high) : 1);
  }
}

/** Combines blocks into one result that questions can be answered from. */
export function* openBlocks(
  blocks: readonly BlockReadings[],
  aggregate: Aggregate,
): Sliced<Aggregated> {
  return asIs(blocks, aggregate) ?? (yield* aggregateInSlices(blocks, aggregate));
}

/** Whether questions can be answered from the block itself, at a third of the cost of adding up. */
export function isUsableAsIs(blocks: readonly BlockReadings[], aggregate: Aggregate): boolean {
  const [block, ...others] = blocks;
  if (block?.sign !== 1 || others.length > 0 || !isCounting(aggregate)) return false;
  return !isWide(block.column.values) && block.column.bound < NARROW_BOUND;
}

/** A single block of a counter need not be added up: its rows are the keys that it lists. */
function asIs(blocks: readonly BlockReadings[], aggregate: Aggregate): Aggregated | null {
  const [block] = blocks;
  if (!block || !isUsableAsIs(blocks, aggregate)) return null;
  const { ids, column } = block;
  return { aggregate, ordinals: ids, values: column.values, counts: null, touched: null };
}

/** The readings of a meter, by key. bound: an upper bound of the sum of their magnitudes. */
export type BlockColumn = {
  readonly values: Lanes;
  readonly counts: Lanes | null;
  readonly bound: number;
  readonly countBound: number;
};

export const boundedColumn = ({ values, counts }: Column): BlockColumn => ({
  values,
  counts,
  bound: boundOf(values),
  countBound: counts === null ? values.low.length : boundOf(counts),
});

/** Compensates for rounding, which reduces a sum of n doubles by less, for n up to 2^40. */
const ROUNDING = 1 + 2 ** -12;

/** Returns an upper bound of the sum of the numbers' magnitudes; exact as long as it is < 2^52. */
export function boundOf(lanes: Lanes): number {
  let bound = 0;
  if (lanes.high === null) {
    const { low } = lanes;
    for (let row = 0; row < low.length; row += 1) {
      const value = Math.abs(low[row] ?? 0);
      // False for NaN, which means no reading.
      if (value > 0) bound += value;
    }
    return bound < 2 ** 52 ? bound : bound * ROUNDING;
  }
  for (let row = 0; row < lanes.low.length; row += 1) {
    const value = Math.abs(approximate(lanes, row));
    if (value > 0) bound += value;
  }
  return bound * ROUNDING;
}
