import { startOfMinute } from '../../../domain/time/time-zone.ts';
import { boundedCache } from '../../bounded-cache.ts';
import { parseSeconds } from './decimal-time.ts';

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d \d\d:\d\d):(\d\d(?:\.\d{1,9})?)$/;

const KNOWN_MINUTES = 4_096;

/** Reads a local time as whole microseconds since the epoch; null if the text is none. */
export type LocalTimeReader = (text: string) => number | null;

/** Returns a reader of times such as `2026-07-15 10:00:00.000` in a time zone. */
export function localTimeReader(timeZone: string): LocalTimeReader {
  const minuteOf = boundedCache(KNOWN_MINUTES, (text: string) => startOfMinute(text, timeZone));
  return (text) => {
    const [, minute, seconds = ''] = LOCAL_TIME.exec(text) ?? [];
    if (minute === undefined) return null;
    const start = minuteOf(minute);
    const within = parseSeconds(seconds);
    if (start === null || within === null || within >= 60e6) return null;
    return start * 1e6 + within;
  };
}
