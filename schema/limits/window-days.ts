import { LIMITS } from '../../domain/limits.ts';
import { parseWindowDate } from '../../domain/time/window-date.ts';

const DAY_SECONDS = 86_400;

/**
 * Returns the days that a window argument counts as, each begun day in full, from 1 to
 * LIMITS.graphqlCostDays. This looks nothing up, so a window that depends on the data counts as the
 * longest possible one. An invalid window counts as one day: its field refuses it.
 */
export function windowDays(window: unknown): number {
  return daysOf(windowSeconds(window));
}

/** Returns the days that `seconds` count as. */
export function daysOf(seconds: number): number {
  const days = Number.isNaN(seconds) ? 1 : Math.ceil(seconds / DAY_SECONDS);
  return Math.min(LIMITS.graphqlCostDays, Math.max(1, days));
}

/**
 * Returns the steps of `every` seconds that a window counts as, each begun step in full, from 1 to
 * the most that a trend may have. Invalid values count as one step: the field refuses them.
 */
export function windowSteps(window: unknown, every: number): number {
  const steps = Math.ceil(windowSeconds(window) / every);
  return Number.isNaN(steps) ? 1 : Math.min(LIMITS.trendSteps, Math.max(1, steps));
}

function windowSeconds(window: unknown): number {
  // The default is the current day until now.
  if (!isRecord(window)) return DAY_SECONDS;
  const { recentSeconds, interval, startingAt, dates, preset } = window;
  if (recentSeconds != null) return numberOf(recentSeconds);
  if (isRecord(interval)) return numberOf(interval['to']) - numberOf(interval['from']);
  if (isRecord(startingAt)) return numberOf(startingAt['seconds']);
  if (isRecord(dates)) return dateOf(dates['to']) - dateOf(dates['from']);
  return preset === 'ALL_AVAILABLE' ? Number.POSITIVE_INFINITY : DAY_SECONDS;
}

/**
 * Reads a date in UTC: two local dates are equally far apart in all zones, give or take an hour. A
 * local date and one with an offset may be half a day off, which is good enough for a price.
 */
const dateOf = (text: unknown): number =>
  (typeof text === 'string' ? parseWindowDate(text, 'UTC') : null) ?? Number.NaN;

/** Never `Number(value)`, which calls the methods of an object. */
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
