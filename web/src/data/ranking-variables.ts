import type { RankBy, TopKeysQueryVariables } from '../../generated/operations.ts';
import type { Address } from '../address/address.ts';
import {
  BY_METRIC,
  comparesWindows,
  DEFAULT_PERCENTILE,
  type Ranking,
} from '../address/ranking.ts';

const RANK_BY = {
  metric: 'METRIC',
  peak: 'PEAK',
  percentile: 'PERCENTILE',
  growth: 'GROWTH',
  decline: 'DECLINE',
  new: 'NEW',
} as const satisfies Record<Ranking['by'], RankBy>;

/** Returns the variables of a ranking. `ago`: seconds between the window and the compared one. */
export function rankingVariables({ ranking }: Pick<Address, 'ranking'>, ago: number | null) {
  const percentile = ranking.by === 'percentile' ? ranking.percentile : null;
  return {
    rankBy: RANK_BY[ranking.by],
    percentile,
    // The column Change and the ranking use the same earlier window.
    rankAgo: comparesWindows(ranking) ? ago : null,
    shownPercentile: percentile ?? DEFAULT_PERCENTILE,
  };
}

/** Returns the ranking that an answer used. */
export function rankingAnswered(
  variables: Pick<TopKeysQueryVariables, 'rankBy' | 'percentile'> | null,
): Ranking {
  switch (variables?.rankBy) {
    case 'PEAK':
      return { by: 'peak' };
    case 'PERCENTILE':
      return { by: 'percentile', percentile: variables.percentile ?? DEFAULT_PERCENTILE };
    case 'GROWTH':
      return { by: 'growth' };
    case 'DECLINE':
      return { by: 'decline' };
    case 'NEW':
      return { by: 'new' };
    default:
      return BY_METRIC;
  }
}
