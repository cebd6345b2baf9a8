import type { Sliced } from '../../../domain/sliced.ts';
import { kthLargest } from '../../../domain/toppers/kth-largest.ts';
import { type Fold, isCounting } from '../../../domain/toppers/meter-type.ts';
import { hasKey } from '../../../segments/filter/key-set.ts';
import type { KeySelection } from './select-rows.ts';
import { type JoinedBounds, joinBounds, type MappedBounds, ROUNDED_UP } from './step-bounds.ts';

/**
 * An upper bound of the `rank`-th largest value in a key's series of topper buckets, derived from
 * longer steps that hold `bucketsOfStep` buckets each. For a counter:
 *
 * - no value is larger than the largest step;
 * - the `rank` largest values together do not exceed the sum of all values;
 * - they lie in at least ⌈rank ÷ bucketsOfStep⌉ steps: with fewer, the value is one of the zeros.
 */
export type BoundQuestion = KeySelection & {
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
  fold: Fold,
  apart: readonly (readonly MappedBounds[])[],
  question: BoundQuestion,
): Sliced<BoundAnswer> {
  const met = yield* joinBounds(fold, apart, question.keyCount);
  const { rows, bounds, length } = boundedRows(met, question, isCounting(fold));
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
