import { LIMITS } from '../../domain/limits.ts';
import { parseWindowDate } from '../../domain/time/window-date.ts';

const DAY_SECONDS = 86_400;

/**
 * The days that a window, as its argument gives it, is counted as: those it begins, from 1 to
 * LIMITS.graphqlCostDays. Nothing is looked up for it, so one that depends on the data is as long
 * as a window can be, and one that cannot be is a day long: its field refuses it.
 */
export function windowDays(window: unknown): number {
  return daysOf(windowSeconds(window));
}

/** The days that so many seconds are counted as. */
export function daysOf(seconds: number): number {
  const days = Number.isNaN(seconds) ? 1 : Math.ceil(seconds / DAY_SECONDS);
  return Math.min(LIMITS.graphqlCostDays, Math.max(1, days));
}

/**
 * The steps of `every` seconds that a window is counted as: those it begins, from 1 to as many as a
 * trend may have. What cannot be is one step: its field refuses it.
 */
export function windowSteps(window: unknown, every: number): number {
  const steps = Math.ceil(windowSeconds(window) / every);
  return Number.isNaN(steps) ? 1 : Math.min(LIMITS.trendSteps, Math.max(1, steps));
}

function windowSeconds(window: unknown): number {
  // Left out, it is the current day until now.
  if (!isRecord(window)) return DAY_SECONDS;
  const { recentSeconds, interval, startingAt, dates, preset } = window;
  if (recentSeconds != null) return Number(recentSeconds);
  if (isRecord(interval)) return Number(interval['to']) - Number(interval['from']);
  if (isRecord(startingAt)) return Number(startingAt['seconds']);
  if (isRecord(dates)) return dateOf(dates['to']) - dateOf(dates['from']);
  return preset === 'ALL_AVAILABLE' ? Number.POSITIVE_INFINITY : DAY_SECONDS;
}

/**
 * In any one zone: how far two local dates lie apart is the same in all, but for an hour. A local
 * date beside one with an offset may be half a day out, which is near enough for a price.
 */
const dateOf = (text: unknown): number => parseWindowDate(String(text), 'UTC') ?? Number.NaN;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
