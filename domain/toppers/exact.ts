/**
 * A value aggregated without rounding: `sum ÷ count`. Counters and extremes have a
 * count of 1; a mean has the number of readings behind it.
 */
export type Exact = { readonly sum: bigint; readonly count: bigint };

/** What counts as a value where there is no reading. */
export const NO_READING: Exact = { sum: 0n, count: 1n };

/** Negative, zero or positive as `a` is below, equal to or above `b`. Counts are positive. */
export function compareExact(a: Exact, b: Exact): number {
  const left = a.sum * b.count;
  const right = b.sum * a.count;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns `numerator ÷ denominator`, rounded half up, which is towards +∞ (decision 24). */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  const doubled = 2n * numerator + denominator;
  const divisor = 2n * denominator;
  const quotient = doubled / divisor;
  return doubled % divisor < 0n ? quotient - 1n : quotient;
}
