import { parseHumanDate } from './human-date.ts';
import { type EpochSeconds, MAX_EPOCH_SECONDS } from './interval.ts';
import { parseIsoDate } from './iso-date.ts';

/** What `parseMoment` accepts, as error messages say it. */
export const MOMENT_FORM =
  'a time: epoch seconds, 2026-07-15, 2026-07-15T10:00Z or "Jul 15 2026 10:00:00 AM"';

/**
 * Reads a time as people type it on a command line: epoch seconds, an ISO 8601 date (its first
 * moment) or date and time, or a human date (decision 21). Without an offset it is in the time zone
 * (decision 20). null for anything else, and outside 1970 … 9999.
 */
export function parseMoment(text: string, timeZone: string): EpochSeconds | null {
  const seconds = /^\d{1,12}$/.test(text)
    ? Number(text)
    : (parseHumanDate(text, timeZone) ?? parseIso(text, timeZone));
  if (seconds === null || seconds < 0 || seconds > MAX_EPOCH_SECONDS) return null;
  return seconds;
}

/** Also accepts a space for the `T`, as people and log files write it. */
const parseIso = (text: string, timeZone: string): EpochSeconds | null =>
  parseIsoDate(text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T'), timeZone);

const SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
};

/** What `parseSpan` accepts, as error messages say it. */
export const SPAN_FORM = 'a span of time such as 90d, 12h or 30m';

/**
 * Reads a span of time as people type it on a command line: a number of seconds, minutes, hours,
 * days or weeks. Returns seconds, at least 1; null for anything else.
 */
export function parseSpan(text: string): number | null {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return Number(digits) * (SECONDS[unit] ?? 0) || null;
}
