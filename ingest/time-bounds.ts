import type { EpochSeconds } from '../domain/interval.ts';
import { BadLine } from './bad-line.ts';

/** 1990-01-01T00:00:00Z: what is older comes from a clock that was never set. */
const EARLIEST_READING: EpochSeconds = 631_152_000;

const DAY_SECONDS = 86_400;

/** The seconds within which a reading may lie; `to` is the last of them. */
export type TimeBounds = { readonly from: EpochSeconds; readonly to: EpochSeconds };

/** From 1990 to a day from now (operations, "Nothing lost"). */
export const timeBounds = (now: EpochSeconds): TimeBounds => ({
  from: EARLIEST_READING,
  to: now + DAY_SECONDS,
});

/** Fails when `seconds`, which may be fractional, lies outside of the bounds. */
export function checkTime(bounds: TimeBounds, name: string, seconds: number): void {
  if (seconds >= bounds.from && seconds <= bounds.to) return;
  const what = seconds < bounds.from ? 'before 1990' : 'more than a day in the future';
  throw new BadLine(`${name} is ${what}: ${seconds}`);
}
