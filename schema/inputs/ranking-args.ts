import { malformed } from '../../domain/errors.ts';
import { DEFAULT_PERCENTILE, type Ranking } from '../../domain/toppers/ranking.ts';
import { builder } from '../builder.ts';

const RankByEnum = builder.enumType('RankBy', {
  description: 'What keys are ranked by. It does not change `metric`, `total` or `others`.',
  values: {
    METRIC: { value: 'metric', description: 'Their value over the window.' },
    PEAK: { value: 'peak', description: 'The largest topper bucket.' },
    PERCENTILE: {
      value: 'percentile',
      description: `The \`percentile\` (default ${DEFAULT_PERCENTILE}) of the topper buckets.`,
    },
    GROWTH: {
      value: 'growth',
      description:
        'How much more than `ago` seconds earlier (default: the window just before); only keys with more.',
    },
    DECLINE: {
      value: 'decline',
      description: 'How much less; keys without a reading now are listed with metric 0.',
    },
    NEW: {
      value: 'new',
      description: 'Only keys without a reading in the earlier window, by metric.',
    },
  } as const,
});

/** The arguments that say how the keys of a topper are ranked. */
export const RANKING_ARGS = builder.args((t) => ({
  rankBy: t.field({
    type: RankByEnum,
    required: true,
    defaultValue: 'metric',
    description: 'What the keys are ranked by.',
  }),
  percentile: t.float({
    description: `With PERCENTILE: the percentile, from 0 to 100; default: ${DEFAULT_PERCENTILE}.`,
  }),
  ago: t.int({
    description:
      'With GROWTH, DECLINE and NEW: how many seconds earlier the compared window begins; ' +
      'default: the window just before.',
  }),
}));

export type GivenRanking = {
  rankBy: Ranking['by'];
  percentile?: number | null | undefined;
  ago?: number | null | undefined;
};

/** Errors: `BAD_USER_INPUT` for an invalid argument, or one that the ranking does not use. */
export function decodeRanking({ rankBy, percentile, ago }: GivenRanking): Ranking {
  if (rankBy !== 'percentile' && typeof percentile === 'number') {
    throw malformed('percentile', 'left out unless rankBy is PERCENTILE', percentile);
  }
  switch (rankBy) {
    case 'growth':
    case 'decline':
    case 'new':
      return { by: rankBy, ago: ago ?? null };
    case 'percentile':
      refuseAgo(ago);
      return { by: rankBy, percentile: checkPercentile(percentile ?? DEFAULT_PERCENTILE) };
    case 'metric':
    case 'peak':
      refuseAgo(ago);
      return { by: rankBy };
    default:
      return rankBy satisfies never;
  }
}

function refuseAgo(ago: number | null | undefined): void {
  if (typeof ago === 'number') {
    throw malformed('ago', 'left out unless rankBy is GROWTH, DECLINE or NEW', ago);
  }
}

function checkPercentile(percentile: number): number {
  if (percentile >= 0 && percentile <= 100) return percentile;
  throw malformed('percentile', 'a number from 0 to 100', percentile);
}
