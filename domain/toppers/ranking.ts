import type { Interval } from '../time/interval.ts';

/**
 * What the keys of a topper are ranked by: their value in the window, or a topper bucket of theirs
 * (the largest, a percentile), or how they changed since an earlier window.
 */
export type Ranking =
  | { readonly by: 'metric' | 'peak' }
  | { readonly by: 'percentile'; readonly percentile: number }
  | ChangeRanking;

/** ago: how many seconds the earlier window is before; null: it is the one just before. */
export type ChangeRanking = {
  readonly by: 'growth' | 'decline' | 'new';
  readonly ago: number | null;
};

/** A ranking of which the earlier window is known. */
export type PlannedRanking =
  | Exclude<Ranking, ChangeRanking>
  | { readonly by: ChangeRanking['by']; readonly since: Interval };

export const BY_METRIC = { by: 'metric' } as const satisfies Ranking;
