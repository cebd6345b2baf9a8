import type { EpochSeconds } from '../domain/time/interval.ts';
import { isoTime } from '../domain/time/iso-time.ts';
import { BadLine } from './lines/bad-line.ts';

/** 1990-01-01T00:00:00Z: anything older comes from a clock that was never set. */
const EARLIEST_READING: EpochSeconds = 631_152_000;

const DAY_SECONDS = 86_400;

/** The seconds within which a reading may lie, including `to`. */
export type TimeBounds = { readonly from: EpochSeconds; readonly to: EpochSeconds };

/** Returns the bounds: from 1990 to a day from now (operations, "Nothing lost"). */
export const timeBounds = (now: EpochSeconds): TimeBounds => ({
  from: EARLIEST_READING,
  to: now + DAY_SECONDS,
});

/**
 * Throws if `seconds`, which may be fractional, is out of bounds. For a format that has epoch
 * seconds in its lines, `given` is the text to search for there.
 */
export function checkTime(bounds: TimeBounds, name: string, seconds: number, given = ''): void {
  if (seconds >= bounds.from && seconds <= bounds.to) return;
  const what = seconds < bounds.from ? 'before 1990' : 'more than a day in the future';
  const when = given === '' ? isoTime(seconds) : `${given} (${isoTime(seconds)})`;
  throw new BadLine(`${name} is ${what}: ${when}: check the clock that it is from`);
}
