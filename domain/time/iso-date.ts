import { Temporal } from 'temporal-polyfill';
import type { EpochSeconds } from './interval.ts';

/** Date, time of day, offset. Second 60 is excluded because Temporal would take it for 59. */
const SHAPE =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::[0-5]\d(?:\.\d{1,9})?)?))?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Reads an ISO 8601 date (its first moment) or date and time: `2026-07-15`, `2026-07-15T10:00`,
 * `2026-07-15T10:00:00`, each with `Z`, with an offset such as `+02:00`, or local to the time zone.
 * A fraction of a second is dropped. null for anything else.
 */
export function parseIsoDate(text: string, timeZone: string): EpochSeconds | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const [, date, timeOfDay = '00:00', offset] = match;
  const time = timeOfDay.replace(/\..*/, '');
  try {
    const { epochMilliseconds } =
      offset === undefined
        ? localTime(`${date}T${time}`, timeZone)
        : Temporal.Instant.from(`${date}T${time}${offset}`);
    return epochMilliseconds / 1000;
  } catch (error) {
    // The 31st of February, or an hour 24.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Decision 20: the rule for local times that do not exist, or exist twice. */
const localTime = (text: string, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone, { disambiguation: 'compatible' });
