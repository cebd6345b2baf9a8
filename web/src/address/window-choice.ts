import type { WindowInput } from '../../generated/operations.ts';

/** A time window: the most recent seconds, a named range, or a fixed interval. */
export type WindowChoice =
  | { readonly kind: 'recent'; readonly seconds: number }
  | { readonly kind: 'named'; readonly name: WindowName }
  | { readonly kind: 'interval'; readonly from: number; readonly to: number };

export const WINDOW_NAMES = {
  today: { preset: 'TODAY', label: 'Today' },
  yesterday: { preset: 'YESTERDAY', label: 'Yesterday' },
  latest: { preset: 'LATEST_TOPPER_BUCKET', label: 'Latest bucket' },
  all: { preset: 'ALL_AVAILABLE', label: 'Everything' },
} as const;

export type WindowName = keyof typeof WINDOW_NAMES;

const SECONDS = { m: 60, h: 3600, d: 86_400 } as const;

const DAY = SECONDS.d;

/** What the picker offers: the newest seconds of the stored data, not of the wall clock. */
export const RECENT_SECONDS: readonly number[] = [
  900,
  3600,
  6 * 3600,
  12 * 3600,
  DAY,
  2 * DAY,
  7 * DAY,
  30 * DAY,
];

export const DEFAULT_WINDOW = { kind: 'recent', seconds: 6 * 3600 } as const;

/** Long enough to see last night. */
export const OVERVIEW_WINDOW = { kind: 'recent', seconds: DAY } as const;

/** The last second that the server accepts (year 9999). */
const LAST_SECOND = 253_402_300_799;

const isName = (text: string): text is WindowName => Object.hasOwn(WINDOW_NAMES, text);

/** Parses `6h`, `today`, `1700000000-1700003600`; null for anything else. */
export function parseWindow(text: string): WindowChoice | null {
  if (isName(text)) return { kind: 'named', name: text };
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count && unit) {
    const seconds = Number(count) * SECONDS[unit as keyof typeof SECONDS];
    return seconds > 0 && seconds < 2 ** 31 ? { kind: 'recent', seconds } : null;
  }
  const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(text) ?? [];
  const start = Number(from);
  const end = Number(to);
  return start < end && end <= LAST_SECOND ? { kind: 'interval', from: start, to: end } : null;
}

export function formatWindow(window: WindowChoice): string {
  switch (window.kind) {
    case 'named':
      return window.name;
    case 'recent':
      return shortDuration(window.seconds);
    case 'interval':
      return `${window.from}-${window.to}`;
  }
}

/** Formats a duration in the largest unit that divides it, up to days. */
export function shortDuration(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds % SECONDS[each] === 0) ?? 'm';
  // A day and a half reads better in hours, as does a single day.
  if (unit === 'd' && seconds === DAY) return '24h';
  return `${Math.round(seconds / SECONDS[unit])}${unit}`;
}

/** Returns whether the window's end moves with the data. */
export const movesOn = (window: WindowChoice): boolean =>
  window.kind === 'recent' || (window.kind === 'named' && window.name !== 'yesterday');

/**
 * Returns the window itself if it moves, or one of the same length that ends at the newest data.
 */
export function movingWindow(window: WindowChoice): WindowChoice {
  if (movesOn(window)) return window;
  const seconds = window.kind === 'interval' ? window.to - window.from : DAY;
  return { kind: 'recent', seconds: expressibleSeconds(seconds) };
}

const MOST_MINUTES = 999_999;

const MOST_DAYS = Math.floor((2 ** 31 - 1) / DAY);

/** Rounds up to what an address can express: whole minutes, or days if there are too many. */
function expressibleSeconds(seconds: number): number {
  const minutes = Math.ceil(seconds / SECONDS.m);
  if (minutes <= MOST_MINUTES) return minutes * SECONDS.m;
  return Math.min(Math.ceil(seconds / DAY), MOST_DAYS) * DAY;
}

export function windowInput(window: WindowChoice): WindowInput {
  switch (window.kind) {
    case 'named':
      return { preset: WINDOW_NAMES[window.name].preset };
    case 'recent':
      return { recentSeconds: window.seconds };
    case 'interval':
      return { interval: { from: window.from, to: window.to } };
  }
}
