import { Temporal } from 'temporal-polyfill';
import type { EpochSeconds } from './interval.ts';

/** IANA names begin with a letter; the offsets and times that Temporal accepts as zones do not. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/** Caches about 600 names: asking Intl for one costs as much as a whole small request. */
const known = new Set<string>();

/** Whether `name` is an IANA time zone (decision 20). */
export function isTimeZone(name: string): boolean {
  if (known.has(name)) return true;
  if (!isZoneOfIntl(name)) return false;
  known.add(name);
  return true;
}

function isZoneOfIntl(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    // Intl alone would also accept ICU's own names, such as `PST`, which Temporal refuses.
    new Intl.DateTimeFormat('en', { timeZone: name });
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Returns the start of the local day of `at`, or of the day `daysAgo` days before it; never before
 * 1970. A day starts at midnight, or if the clock skips midnight, right after the gap.
 */
export function startOfDay(at: EpochSeconds, timeZone: string, daysAgo = 0): EpochSeconds {
  const start = Temporal.Instant.fromEpochMilliseconds(at * 1000)
    .toZonedDateTimeISO(timeZone)
    .startOfDay();
  const seconds = Math.floor(start.epochMilliseconds / 1000);
  if (seconds <= 0) return 0;
  // The day before is the day of the last second before midnight. Counting dates back would be
  // wrong if a zone skipped a date: Samoa went from 29 to 31 December 2011.
  return daysAgo === 0 ? seconds : startOfDay(seconds - 1, timeZone, daysAgo - 1);
}

const LOCAL_MINUTE = /^\d{4}-\d\d-\d\d \d\d:\d\d$/;

/**
 * Returns the start of a local minute such as `2026-07-15 10:00`; null if the text is not one. A
 * minute that the clock skips or repeats is read as decision 20 says.
 */
export function startOfMinute(local: string, timeZone: string): EpochSeconds | null {
  if (!LOCAL_MINUTE.test(local)) return null;
  try {
    const minute = Temporal.PlainDateTime.from(local.replace(' ', 'T'));
    const disambiguation = 'compatible';
    return minute.toZonedDateTime(timeZone, { disambiguation }).epochMilliseconds / 1000;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
