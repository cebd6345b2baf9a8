import { Temporal } from 'temporal-polyfill';
import { parseHumanDate } from './human-date.ts';
import { type EpochSeconds, MAX_EPOCH_SECONDS } from './interval.ts';

/** What `parseMoment` takes, as messages say it. */
export const MOMENT_FORM =
  'a time: epoch seconds, 2026-07-15, 2026-07-15T10:00Z or "Jul 15 2026 10:00:00 AM"';

/**
 * A time as people give it on a command line: epoch seconds, an ISO 8601 date (its first moment) or
 * date and time, or a human date (decision 21). Without an offset it is in the time zone
 * (decision 20). null for anything else, and beyond 1970 … 9999.
 */
export function parseMoment(text: string, timeZone: string): EpochSeconds | null {
  const seconds = /^\d{1,12}$/.test(text)
    ? Number(text)
    : (parseHumanDate(text, timeZone) ?? parseIso(text, timeZone));
  if (seconds === null || seconds < 0 || seconds > MAX_EPOCH_SECONDS) return null;
  return seconds;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:?\d{2})$/i;

function parseIso(text: string, timeZone: string): EpochSeconds | null {
  try {
    if (DATE.test(text)) {
      return inSeconds(Temporal.PlainDate.from(text).toZonedDateTime(timeZone).epochMilliseconds);
    }
    if (LOCAL.test(text)) {
      // Decision 20: the rule for local times that do not exist, or exist twice.
      const local = Temporal.PlainDateTime.from(text);
      const zoned = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' });
      return inSeconds(zoned.epochMilliseconds);
    }
    if (WITH_OFFSET.test(text)) return inSeconds(Temporal.Instant.from(text).epochMilliseconds);
    return null;
  } catch (error) {
    // The 31st of February.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const inSeconds = (milliseconds: number): EpochSeconds => Math.floor(milliseconds / 1000);
