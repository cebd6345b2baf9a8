import { invalidWindow } from '../errors.ts';
import { parseHumanDate } from './human-date.ts';
import type { EpochSeconds } from './interval.ts';
import { parseIsoDate } from './iso-date.ts';

/** A date as a window takes it: ISO 8601, or as people write it (decision 21). null: neither. */
export const parseWindowDate = (text: string, timeZone: string): EpochSeconds | null =>
  parseIsoDate(text, timeZone) ?? parseHumanDate(text, timeZone);

/** The same. `name` is the parameter that gave it. Error: decision 21, in its words. */
export function windowDate(text: string, name: string, timeZone: string): EpochSeconds {
  const at = parseWindowDate(text, timeZone);
  if (at !== null) return at;
  throw invalidWindow(
    `${name} must look like "Jul 15 2026 10:00:00 AM", got ${JSON.stringify(text)}`,
  );
}
