import { type Fold, isCounting } from '../../domain/toppers/meter-type.ts';
import { approximate, isWide } from '../../segments/codes/lanes.ts';
import { hasKey } from '../../segments/filter/key-set.ts';
import { type Folded, foldUnits, releaseFolded, type UnitReadings } from '../fold/fold-units.ts';
import { kthLargest } from './kth-largest.ts';
import type { KeySelection } from './select-rows.ts';

/**
 * An upper bound of the `rank`-th largest value in a key's series of topper buckets, derived from
 * longer steps that hold `bucketsOfStep` buckets each. For a counter:
 *
 * - no value is larger than the largest step;
 * - the `rank` largest values together do not exceed the sum of all values;
 * - they lie in at least ⌈rank ÷ bucketsOfStep⌉ steps: with fewer, the value is one of the zeros.
 */
export type BoundQuestion = KeySelection & {
  /** Counted from 1, the largest. */
  readonly rank: number;
  readonly bucketsOfStep: number;
  readonly maxItems: number;
};

/** In descending order of bounds; equal ones in the order of ordinals. */
export type BoundAnswer = {
  readonly keys: readonly { readonly ordinal: number; readonly most: number }[];
  /** Number of keys. */
  readonly keyCount: number;
};

/** Returns the keys by their bounds. Errors: the fold has no bounds. */
export function boundRanks(
  fold: Fold,
  steps: readonly (readonly UnitReadings[])[],
  question: BoundQuestion,
): BoundAnswer {
  if (!hasBounds(fold)) throw new Error(`values that combine by ${fold} have no bounds`);
  const met = addSteps(fold, steps);
  const { rows, bounds, length } = boundedRows(met, question, isCounting(fold));
  const cut = kthLargest(bounds, length, question.maxItems);
  const near: { ordinal: number; most: number }[] = [];
  let equals = 0;
  for (let i = 0; i < length; i += 1) {
    const most = bounds[i] as number;
    if (most < cut) continue;
    if (most === cut) {
      equals += 1;
      if (equals > question.maxItems) continue;
    }
    near.push({ ordinal: rows[i] as number, most });
  }
  near.sort((a, b) => b.most - a.most || a.ordinal - b.ordinal);
  return { keys: near.slice(0, question.maxItems), keyCount: length };
}

/** A step's value bounds those of its buckets for sums of non-negative values, and for maxima. */
export const hasBounds = (fold: Fold): boolean => isCounting(fold) || fold === 'max';

/** By ordinal. */
type Met = {
  /** Upper bound of each value. */
  readonly largest: Float64Array;
  readonly sums: Float64Array;
  /** Number of steps in which the key has a reading. */
  readonly steps: Uint32Array;
};

function addSteps(fold: Fold, steps: readonly (readonly UnitReadings[])[]): Met {
  const rows = steps.flat().reduce((most, { ids }) => Math.max(most, (ids.at(-1) ?? -1) + 1), 0);
  const met: Met = {
    largest: new Float64Array(rows).fill(Number.NEGATIVE_INFINITY),
    sums: new Float64Array(rows),
    steps: new Uint32Array(rows),
  };
  for (const units of steps) {
    const [unit, ...others] = units;
    if (unit && others.length === 0 && !isWide(unit.column.values)) addBlock(met, unit, fold);
    else addFolded(met, foldUnits(units, fold));
  }
  return met;
}

/** The common case, a step that is one block: its rows are the keys that it lists. */
function addBlock({ largest, sums, steps }: Met, { ids, column }: UnitReadings, fold: Fold): void {
  const { low } = column.values;
  const nothing = isCounting(fold) ? 0 : Number.NEGATIVE_INFINITY;
  for (let row = 0; row < ids.length; row += 1) {
    const value = low[row] as number;
    if (value === nothing || Number.isNaN(value)) continue;
    const key = ids[row] as number;
    if (value > (largest[key] as number)) largest[key] = value;
    sums[key] = (sums[key] as number) + value;
    steps[key] = (steps[key] as number) + 1;
  }
}

/** Doubles are rounded: bounds are raised by this factor to remain upper bounds. */
const ROUNDED_UP = 1 + 2 ** -40;

function addFolded({ largest, sums, steps }: Met, folded: Folded): void {
  const { values, touched, fold } = folded;
  const nothing = isCounting(fold) ? 0 : Number.NEGATIVE_INFINITY;
  const more = isWide(values) ? ROUNDED_UP : 1;
  const count = touched?.length ?? values.low.length;
  for (let i = 0; i < count; i += 1) {
    const key = touched === null ? i : (touched[i] as number);
    const value = approximate(values, key);
    if (value === nothing || Number.isNaN(value)) continue;
    const most = value < 0 ? value / more : value * more;
    if (most > (largest[key] as number)) largest[key] = most;
    sums[key] = (sums[key] as number) + most;
    steps[key] = (steps[key] as number) + 1;
  }
  releaseFolded(folded);
}

type BoundedRows = {
  readonly rows: Uint32Array;
  readonly bounds: Float64Array;
  readonly length: number;
};

function boundedRows(met: Met, question: BoundQuestion, isCounter: boolean): BoundedRows {
  const { rank, bucketsOfStep, passing } = question;
  const leastSteps = Math.ceil(rank / bucketsOfStep);
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
    const ofCounter = steps < leastSteps ? 0 : Math.min(largest, ofSum);
    // Values are whole numbers.
    bounds[length] = Math.floor(isCounter ? ofCounter : largest);
    length += 1;
  }
  return { rows, bounds, length };
}
