import { raiseSmallest } from '../../../domain/toppers/kth-largest.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { hasKey, type KeySet } from '../../../segments/filter/key-set.ts';
import type { Aggregated } from '../aggregate/aggregate-blocks.ts';
import type { ApproxRow } from './key-rows.ts';

/** The number of keys that count (decision 24) and their total, exact as narrow lanes are. */
export type SumAndCount = { readonly sum: number; readonly count: number };

/** The result of one pass over all rows. */
type ScannedOnce = {
  readonly all: SumAndCount;
  /** The keys that may be listed. */
  readonly passed: SumAndCount;
  /** Lower bound of the `limit` largest values that may be listed. */
  readonly cut: number;
};

/**
 * Whether one pass is enough: for a counter whose sums are exact doubles in any order of rows. Most
 * questions are about such counters; nothing has to be stored per row then.
 */
export const canScanOnce = ({ aggregate, values, counts, touched }: Aggregated): boolean =>
  isCounting(aggregate) && counts === null && values.high === null && touched === null;

/** passing: which keys may be listed; null: all. */
export function scanOnce(
  aggregated: Aggregated,
  passing: KeySet | null,
  limit: number,
): ScannedOnce {
  const { low } = aggregated.values;
  const largest = new Float64Array(Math.min(limit, low.length) || 1).fill(Number.NEGATIVE_INFINITY);
  if (passing === null) {
    const all = scanAll(low, largest);
    return { all, passed: all, cut: largest[0] as number };
  }
  return { ...scanPassing(aggregated, passing, largest), cut: largest[0] as number };
}

// Zeros may be anywhere among the rows, so a branch on them is hard to predict; NaN is rare.

function scanAll(low: Float64Array, largest: Float64Array): SumAndCount {
  let sum = 0;
  let count = 0;
  let cut = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < low.length; row += 1) {
    const value = low[row] as number;
    if (Number.isNaN(value)) continue;
    sum += value;
    count += value === 0 ? 0 : 1;
    if (value > cut && value !== 0) cut = raiseSmallest(largest, value);
  }
  return { sum, count };
}

function scanPassing(
  { ordinals, values: { low } }: Aggregated,
  passing: KeySet,
  largest: Float64Array,
): Omit<ScannedOnce, 'cut'> {
  let sum = 0;
  let count = 0;
  let passedSum = 0;
  let passedCount = 0;
  let cut = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < low.length; row += 1) {
    const value = low[row] as number;
    if (Number.isNaN(value)) continue;
    const isCounted = value === 0 ? 0 : 1;
    sum += value;
    count += isCounted;
    if (!hasKey(passing, ordinals === null ? row : (ordinals[row] as number))) continue;
    passedSum += value;
    passedCount += isCounted;
    if (value > cut && value !== 0) cut = raiseSmallest(largest, value);
  }
  return { all: { sum, count }, passed: { sum: passedSum, count: passedCount } };
}

/** Returns the rows that count, may be listed and are not below `cut`. */
export function rowsNotBelow(
  aggregated: Aggregated,
  passing: KeySet | null,
  cut: number,
): ApproxRow[] {
  const { ordinals, values } = aggregated;
  const { low } = values;
  const near: ApproxRow[] = [];
  for (let row = 0; row < low.length; row += 1) {
    const approx = low[row] as number;
    if (!(approx >= cut) || approx === 0) continue;
    const ordinal = ordinals === null ? row : (ordinals[row] as number);
    if (passing === null || hasKey(passing, ordinal)) near.push({ row, approx });
  }
  return near;
}
