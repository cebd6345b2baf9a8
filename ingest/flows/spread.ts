import { subtractWhole, toWhole, type Whole } from '../whole.ts';

/**
 * Returns how much of an amount that flows evenly over `durationUs` has flowed after `elapsedUs`.
 * The amount up to time t is ⌊n·(t−t0)/d⌋, so the differences between any times add up to n
 * exactly. Times are whole microseconds, 0 ≤ elapsedUs ≤ durationUs. Without a duration, all flows
 * at once.
 */
export function amountUpTo(amount: Whole, elapsedUs: number, durationUs: number): Whole {
  if (elapsedUs >= durationUs) return amount;
  if (typeof amount === 'number') {
    const product = amount * elapsedUs;
    // Exact, because the remainder of safe integers is exact, and so is the division of a multiple.
    if (product <= Number.MAX_SAFE_INTEGER) return (product - (product % durationUs)) / durationUs;
  }
  return toWhole((BigInt(amount) * BigInt(elapsedUs)) / BigInt(durationUs));
}

/** Returns the part of an amount that flows from `fromUs` to `toUs` after its start. */
export const amountBetween = (
  amount: Whole,
  { fromUs, toUs, durationUs }: { fromUs: number; toUs: number; durationUs: number },
): Whole =>
  fromUs === 0
    ? amountUpTo(amount, toUs, durationUs)
    : subtractWhole(amountUpTo(amount, toUs, durationUs), amountUpTo(amount, fromUs, durationUs));
