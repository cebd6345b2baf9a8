import type { Sliced } from '../../../domain/sliced.ts';
import { kthLargest } from '../../../domain/toppers/kth-largest.ts';
import { type Aggregate, isCounting } from '../../../domain/toppers/meter-type.ts';
import { approximate, isWide } from '../../../segments/codes/lanes.ts';
import { hasKey } from '../../../segments/filter/key-set.ts';
import {
  type Aggregated,
  aggregateInSlices,
  type BlockReadings,
  releaseAggregated,
} from '../aggregate/aggregate-blocks.ts';
import { SharedArrays } from '../aggregate/shared-arrays.ts';
import type { OrdinalSelection } from './select-rows.ts';

/** The readings of a list of keys in several steps of a window, in memory that threads share. */
export type StepsToBound = {
  readonly aggregate: Aggregate;
  /** The blocks of each step, their keys by ordinal in the list. */
  readonly steps: readonly (readonly BlockReadings[])[];
  readonly keyCount: number;
};

/**
 * What several steps have of each key, by ordinal. Bounds may be rounded up, so singles are enough:
 * the bounds of segments stay in memory, and reading them is much of the work of a ranking.
 */
export type StepBounds = {
  /** An upper bound of the largest step; −∞: no reading. */
  readonly largest: Float32Array;
  /** An upper bound of the sum of the steps. */
  readonly sums: Float32Array;
  /** Number of steps with a reading other than zero. */
  readonly steps: Uint32Array;
};

/** Bounds of some of a window's steps, by the ordinals of a list of keys that all share. */
export type MappedBounds = {
  readonly bounds: StepBounds;
  /** Maps their ordinals to those of the shared list; null: they are the same. */
  readonly map: Uint32Array | null;
};

/** The parts of a window, as `joinBounds` takes them; keyCount: the length of the shared list. */
export type BoundsToJoin = {
  readonly aggregate: Aggregate;
  readonly apart: readonly (readonly MappedBounds[])[];
  readonly keyCount: number;
};

/** Doubles are rounded: bounds are raised by this factor to remain upper bounds. */
const ROUNDED_UP = 1 + 2 ** -40;

/** A step's value bounds those of its buckets for sums of non-negative values, and for maxima. */
export const hasBounds = (aggregate: Aggregate): boolean =>
  isCounting(aggregate) || aggregate === 'max';

/** The same in doubles, while they are computed. */
type DoubleBounds = {
  readonly largest: Float64Array;
  readonly sums: Float64Array;
  readonly steps: Uint32Array;
};

type JoinedBounds = StepBounds | DoubleBounds;

/** Errors: the aggregate has no bounds. */
export function* boundSteps({ aggregate, steps, keyCount }: StepsToBound): Sliced<StepBounds> {
  if (!hasBounds(aggregate)) throw new Error(`values that combine by ${aggregate} have no bounds`);
  const bounds = noBounds(keyCount);
  for (const blocks of steps) {
    const [block, ...others] = blocks;
    if (block && others.length === 0 && !isWide(block.column.values))
      addBlock(bounds, block, aggregate);
    else addAggregated(bounds, yield* aggregateInSlices(blocks, aggregate));
    yield;
  }
  return inSingles(bounds);
}

function inSingles({ largest, sums, steps }: JoinedBounds): StepBounds {
  const arrays = new SharedArrays();
  const bounds = {
    largest: arrays.singles(steps.length),
    sums: arrays.singles(steps.length),
    steps: arrays.words(steps.length),
  };
  for (let key = 0; key < steps.length; key += 1) {
    bounds.largest[key] = roundedUp(largest[key] as number);
    bounds.sums[key] = roundedUp(sums[key] as number);
    bounds.steps[key] = steps[key] as number;
  }
  return bounds;
}

/** Returns the combined bounds of parts, to be kept. */
export function* keptBounds({ aggregate, apart, keyCount }: BoundsToJoin): Sliced<StepBounds> {
  return inSingles(yield* joinBounds(aggregate, apart, keyCount));
}

/** Returns a single that is not smaller. */
function roundedUp(value: number): number {
  const single = Math.fround(value);
  return single >= value ? single : single + Math.abs(single) * 2 ** -23;
}

const noBounds = (keyCount: number): DoubleBounds => ({
  largest: new Float64Array(keyCount).fill(Number.NEGATIVE_INFINITY),
  sums: new Float64Array(keyCount),
  steps: new Uint32Array(keyCount),
});

/** The common case, a step that is one block: its rows are the keys that it lists. */
function addBlock(
  bounds: DoubleBounds,
  { ids, column }: BlockReadings,
  aggregate: Aggregate,
): void {
  const { largest, sums, steps } = bounds;
  const { low } = column.values;
  const nothing = isCounting(aggregate) ? 0 : Number.NEGATIVE_INFINITY;
  for (let row = 0; row < ids.length; row += 1) {
    const value = low[row] as number;
    if (value === nothing || Number.isNaN(value)) continue;
    const key = ids[row] as number;
    if (value > (largest[key] as number)) largest[key] = value;
    sums[key] = (sums[key] as number) + value;
    steps[key] = (steps[key] as number) + 1;
  }
}

function addAggregated({ largest, sums, steps }: DoubleBounds, aggregated: Aggregated): void {
  const { values, touched, aggregate } = aggregated;
  const nothing = isCounting(aggregate) ? 0 : Number.NEGATIVE_INFINITY;
  const more = isWide(values) ? ROUNDED_UP : 1;
  const count = touched?.length ?? values.low.length;
  for (let i = 0; i < count; i += 1) {
    const key = touched === null ? i : (touched[i] as number);
    const value = approximate(values, key);
    if (value === nothing || Number.isNaN(value)) continue;
    const bound = value < 0 ? value / more : value * more;
    if (bound > (largest[key] as number)) largest[key] = bound;
    sums[key] = (sums[key] as number) + bound;
    steps[key] = (steps[key] as number) + 1;
  }
  releaseAggregated(aggregated);
}

/**
 * Combines the bounds of parts of a window. `apart`: lists of parts; parts of different lists have
 * no step in common. A key's step is the sum of what the parts of one list have of it, so its
 * largest step is at most the sum of their largest steps; for maxima, it is the largest of them.
 */
export function* joinBounds(
  aggregate: Aggregate,
  apart: readonly (readonly MappedBounds[])[],
  keyCount: number,
): Sliced<JoinedBounds> {
  const [first, ...others] = apart.flat();
  if (first?.map === null && others.length === 0) return first.bounds;
  const joined = noBounds(keyCount);
  const isAlone = apart.every(({ length }) => length === 1);
  const together = new Float64Array(isAlone ? 0 : keyCount);
  for (const parts of apart) {
    const isOne = parts.length === 1 || !isCounting(aggregate);
    for (const part of parts) {
      addPart(joined, part, isOne ? null : together);
      yield;
    }
    if (isOne) continue;
    for (const { bounds, map } of parts) {
      for (let i = 0; i < bounds.steps.length; i += 1) {
        const key = map === null ? i : (map[i] as number);
        const bound = (together[key] as number) * ROUNDED_UP;
        if (bound > (joined.largest[key] as number)) joined.largest[key] = bound;
      }
    }
    for (const { bounds, map } of parts) {
      for (let i = 0; i < bounds.steps.length; i += 1) {
        together[map === null ? i : (map[i] as number)] = 0;
      }
    }
  }
  return joined;
}

/** `together`: if given, largest steps are added up there. */
function addPart(
  joined: DoubleBounds,
  { bounds, map }: MappedBounds,
  together: Float64Array | null,
): void {
  for (let i = 0; i < bounds.steps.length; i += 1) {
    const steps = bounds.steps[i] as number;
    if (steps === 0) continue;
    const key = map === null ? i : (map[i] as number);
    const largest = bounds.largest[i] as number;
    if (together) together[key] = (together[key] as number) + largest;
    else if (largest > (joined.largest[key] as number)) joined.largest[key] = largest;
    joined.sums[key] = (joined.sums[key] as number) + (bounds.sums[i] as number);
    joined.steps[key] = (joined.steps[key] as number) + steps;
  }
}

/**
 * An upper bound of the `rank`-th largest value in a key's series of topper buckets, derived from
 * longer steps that hold `bucketsOfStep` buckets each. For a counter:
 *
 * - no value is larger than the largest step;
 * - the `rank` largest values together do not exceed the sum of all values;
 * - they lie in at least ⌈rank ÷ bucketsOfStep⌉ steps: with fewer, the value is one of the zeros.
 */
export type BoundQuestion = OrdinalSelection & {
  /** Number of keys that the parts of the window have together. */
  readonly keyCount: number;
  /** Counted from 1, the largest. */
  readonly rank: number;
  readonly bucketsOfStep: number;
  readonly maxItems: number;
};

/** In descending order of bounds; equal ones in the order of ordinals. */
export type BoundAnswer = {
  readonly keys: readonly { readonly ordinal: number; readonly bound: number }[];
  /** Number of keys. */
  readonly keyCount: number;
};

/** Returns the keys by their bounds. `apart`: the parts of a window, as `joinBounds` takes them. */
export function* boundRanks(
  aggregate: Aggregate,
  apart: readonly (readonly MappedBounds[])[],
  question: BoundQuestion,
): Sliced<BoundAnswer> {
  const met = yield* joinBounds(aggregate, apart, question.keyCount);
  const { rows, bounds, length } = boundedRows(met, question, isCounting(aggregate));
  const cut = kthLargest(bounds, length, question.maxItems);
  const near: { ordinal: number; bound: number }[] = [];
  let equals = 0;
  for (let i = 0; i < length; i += 1) {
    const bound = bounds[i] as number;
    if (bound < cut) continue;
    if (bound === cut) {
      equals += 1;
      if (equals > question.maxItems) continue;
    }
    near.push({ ordinal: rows[i] as number, bound });
  }
  near.sort((a, b) => b.bound - a.bound || a.ordinal - b.ordinal);
  return { keys: near.slice(0, question.maxItems), keyCount: length };
}

type BoundedRows = {
  readonly rows: Uint32Array;
  readonly bounds: Float64Array;
  readonly length: number;
};

function boundedRows(met: JoinedBounds, question: BoundQuestion, isCounter: boolean): BoundedRows {
  const { rank, bucketsOfStep, passing } = question;
  const minSteps = Math.ceil(rank / bucketsOfStep);
  const within = question.within && new Set(question.within);
  const rows = new Uint32Array(met.steps.length);
  const bounds = new Float64Array(met.steps.length);
  let length = 0;
  for (let key = 0; key < met.steps.length; key += 1) {
    const steps = met.steps[key] as number;
    if (steps === 0) continue;
    if (passing && !hasKey(passing, key)) continue;
    if (within && !within.has(key)) continue;
    const largest = met.largest[key] as number;
    rows[length] = key;
    const ofSum = ((met.sums[key] as number) * ROUNDED_UP) / rank;
    const ofCounter = steps < minSteps ? 0 : Math.min(largest, ofSum);
    // Values are whole numbers.
    bounds[length] = Math.floor(isCounter ? ofCounter : largest);
    length += 1;
  }
  return { rows, bounds, length };
}
