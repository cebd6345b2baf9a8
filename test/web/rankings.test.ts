import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../web/src/address/address.ts';
import { formatRanking } from '../../web/src/address/ranking.ts';
import { rankingAnswered, rankingVariables } from '../../web/src/data/ranking-variables.ts';
import { ordinalOf } from '../../web/src/data/ranking-words.ts';

describe('a percentile', () => {
  it.each([
    [0, '0th'],
    [1, '1st'],
    [11, '11th'],
    [50, '50th'],
    [92, '92nd'],
    [93, '93rd'],
    [99.9, '99.9th'],
    [100, '100th'],
  ])('%d is called %s', (percentile, name) => {
    expect(ordinalOf(percentile)).toBe(name);
  });
});

describe('a ranking', () => {
  const asked = (search: string) => rankingVariables(parseAddress(search), 86_400);

  it('is requested with what it needs, and nothing else', () => {
    const usual = { percentile: null, rankAgo: null, shownPercentile: 95 };
    expect(asked('')).toEqual({ ...usual, rankBy: 'METRIC' });
    expect(asked('?rank=peak')).toEqual({ ...usual, rankBy: 'PEAK' });
    expect(asked('?rank=p99')).toEqual({
      rankBy: 'PERCENTILE',
      percentile: 99,
      rankAgo: null,
      shownPercentile: 99,
    });
    expect(asked('?rank=decline')).toEqual({ ...usual, rankBy: 'DECLINE', rankAgo: 86_400 });
  });

  it.each(['metric', 'peak', 'p95', 'p99.9', 'growth', 'decline', 'new'])(
    '%s is read back from the variables of its request',
    (written) => {
      expect(formatRanking(rankingAnswered(asked(`?rank=${written}`)))).toBe(written);
    },
  );
});
