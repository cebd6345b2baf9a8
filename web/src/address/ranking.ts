/** What keys are ranked by: their value over the window, or another property of it. */
export type Ranking =
  | { readonly by: 'metric' | 'peak' }
  | { readonly by: ChangeRanking }
  | { readonly by: 'percentile'; readonly percentile: number };

export const CHANGE_RANKINGS = ['growth', 'decline', 'new'] as const;

/** Rankings that compare the window with an earlier one. */
export type ChangeRanking = (typeof CHANGE_RANKINGS)[number];

export const BY_METRIC: Ranking = { by: 'metric' };

/** What the control offers; an address may have any other. */
export const PERCENTILES: readonly number[] = [50, 75, 90, 95, 98, 99];

/** The percentile that is shown when keys are not ranked by one. */
export const DEFAULT_PERCENTILE = 95;

/** Parses `peak`, `p95`, `p99.9`, `growth` …; null for anything else. */
export function parseRanking(text: string): Ranking | null {
  if (text === 'metric' || text === 'peak') return { by: text };
  const change = CHANGE_RANKINGS.find((each) => each === text);
  if (change) return { by: change };
  const [, digits] = /^p(\d{1,3}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  const percentile = Number(digits);
  return percentile <= 100 ? { by: 'percentile', percentile } : null;
}

export const formatRanking = (ranking: Ranking): string =>
  ranking.by === 'percentile' ? `p${ranking.percentile}` : ranking.by;

/** Returns whether the ranking compares with the earlier window that the column Change is about. */
export const comparesWindows = (ranking: Ranking): ranking is { readonly by: ChangeRanking } =>
  CHANGE_RANKINGS.some((each) => each === ranking.by);
