import { invalidWindow } from '../errors.ts';
import { parseHumanDate } from './human-date.ts';
import type { EpochSeconds } from './interval.ts';
import { parseIsoDate } from './iso-date.ts';

/** Reads a date of a window: ISO 8601, or as people write it (decision 21). null: neither. */
export const parseWindowDate = (text: string, timeZone: string): EpochSeconds | null =>
  parseIsoDate(text, timeZone) ?? parseHumanDate(text, timeZone);

/** Like parseWindowDate, but throws decision 21's error. `name` is the parameter's name. */
export function windowDate(text: string, name: string, timeZone: string): EpochSeconds {
  const at = parseWindowDate(text, timeZone);
  if (at !== null) return at;
  throw invalidWindow(
    `${name} must look like "Jul 15 2026 10:00:00 AM", got ${JSON.stringify(text)}`,
  );
}
