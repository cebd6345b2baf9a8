import { afterAll, describe, expect, it } from 'vitest';
import type { KeyFilter } from '../../../domain/filters/key-filter.ts';
import { ServiceCache } from '../../../engine/cache/service-cache.ts';
import { ThreadPool } from '../../../engine/kernel/threads/thread-pool.ts';
import { checkFilter, matchKeys } from '../../../engine/keys/match-keys.ts';
import { FOREVER, keysOf } from '../kernel/pool-work.ts';

const memory = new ServiceCache(new ThreadPool({ workers: 1, queueLength: 10 }), {
  segmentBytes: 0,
  answerBytes: 0,
  responseBytes: 0,
});

afterAll(() => memory.threadPool.close());

type OnFilter = (keys: number, instructions: number) => void;

const match = (filter: KeyFilter, onFilter: OnFilter) =>
  matchKeys(
    { memory, caller: FOREVER, onFilter, pause: () => undefined, afterKeys: () => undefined },
    keysOf(300, 1),
    {
      keyKind: 'text',
      partKinds: null,
      filter,
      labels: null,
    },
  );

describe('a filter with patterns', () => {
  it('is priced before it is matched, by the number of keys and of instructions', async () => {
    const prices: [number, number][] = [];
    const note: OnFilter = (...price) => prices.push(price);
    await match({ match: '7$' }, note);
    await match({ match: '7$', exclude: '[0-9]{50}' }, note);
    await match({ search: '7', keys: ['10007'] }, note);
    const [[, few = 0] = [], [, many = 0] = []] = prices;
    expect(prices).toEqual([
      [300, few],
      [300, many],
    ]);
    expect(few).toBeLessThan(10);
    expect(many).toBeGreaterThan(few + 50);
  });

  it('is refused with the error that its price causes', async () => {
    const tooExpensive = new Error('too expensive');
    const refuse = () => {
      throw tooExpensive;
    };
    await expect(match({ match: '7$' }, refuse)).rejects.toBe(tooExpensive);
    await expect(match({ cidr: ['10.0.0.0/8'] }, refuse)).rejects.toThrow('cidr');
  });
});

describe('a filter that cannot be used', () => {
  const names = { match: 'key_filter', exclude: 'inverse_key_filter' };
  const reader = {
    memory,
    caller: FOREVER,
    onFilter: () => undefined,
    pause: () => undefined,
    afterKeys: () => undefined,
  };
  const many = Array.from({ length: 10_001 }, () => '10.0.0.1');

  it.each<[KeyFilter, 'keys' | 'networks', string]>([
    [{ match: 'a(b' }, 'keys', 'key_filter must be an RE2 pattern, got "a(b": missing closing )'],
    [{ exclude: ')' }, 'networks', 'inverse_key_filter must be an RE2 pattern'],
    [{ cidr: ['10.0.0'], match: '(' }, 'keys', 'cidr must be addresses or networks in CIDR form'],
    [{ cidr: ['10.0.0'], match: '(' }, 'networks', 'key_filter must be an RE2 pattern'],
    [{ keys: many }, 'keys', 'keys must be a list of at most'],
    [{ excludeCidr: many }, 'keys', 'excludeCidr must be a list of at most'],
  ])('is refused by its first fault: case %#', async (filter, of, message) => {
    const checking = checkFilter(reader, { filter, kinds: ['ip'], of, names });
    await expect(checking).rejects.toThrow(message);
  });
});
