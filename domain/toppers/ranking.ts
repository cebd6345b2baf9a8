import type { Interval } from '../time/interval.ts';

/**
 * How the keys of a topper are ranked: by their value in the window, by one of their topper buckets
 * (the largest, or a percentile), or by their change since an earlier window.
 */
export type Ranking =
  | { readonly by: 'metric' | 'peak' }
  | { readonly by: 'percentile'; readonly percentile: number }
  | ChangeRanking;

/** ago: how many seconds earlier the other window is; null: it is the window just before. */
export type ChangeRanking = {
  readonly by: 'growth' | 'decline' | 'new';
  readonly ago: number | null;
};

/** A ranking whose earlier window is known. */
export type PlannedRanking =
  | Exclude<Ranking, ChangeRanking>
  | { readonly by: ChangeRanking['by']; readonly since: Interval };

export const BY_METRIC = { by: 'metric' } as const satisfies Ranking;

/** The percentile that keys are ranked by unless another is requested. */
export const DEFAULT_PERCENTILE = 95;
