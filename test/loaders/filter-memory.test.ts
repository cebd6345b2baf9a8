import { describe, expect, it } from 'vitest';
import { FilterMemory } from '../../resolvers/loaders/filter-memory.ts';
import { hasKey, type KeyBits } from '../../topk/key-bits.ts';

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** The keys of the set, by their texts. */
const keysIn = (bits: KeyBits, texts: readonly (readonly string[])[]): string[] =>
  texts.flatMap((ofShard, shard) => ofShard.filter((_, keyId) => hasKey(bits, shard, keyId)));

const isOdd = (key: string): boolean => Number(key.slice(1)) % 2 === 1;

const odd = (texts: readonly (readonly string[])[]): string[] => texts.flat().filter(isOdd);

describe('the keys that pass a filter', () => {
  it('are matched once each, also when more keys come', async () => {
    const memory = new FilterMemory();
    const texts = [named('a', 40), named('b', 3)];
    const matched: string[] = [];
    const passing = () =>
      memory.passing('odd', texts, (key) => {
        matched.push(key);
        return isOdd(key);
      });
    expect(keysIn(await passing(), texts)).toEqual(odd(texts));
    expect(matched).toEqual(texts.flat());
    matched.length = 0;
    await passing();
    expect(matched).toEqual([]);
    texts[0]?.push('a40', 'a41');
    texts.push(['c1']);
    expect(keysIn(await passing(), texts)).toEqual(odd(texts));
    expect(matched).toEqual(['a40', 'a41', 'c1']);
  });

  it('are no others when keys become known while they are matched', async () => {
    const memory = new FilterMemory();
    const texts = [named('a', 10), named('b', 10)];
    const passing = memory.passing('odd', texts, isOdd);
    // As another request does it, which has read a newer version of the group.
    texts[0]?.push('a1001', 'a1003');
    texts.push(['c1']);
    const before = [named('a', 10), named('b', 10)];
    expect(keysIn(await passing, before)).toEqual(odd(before));
    expect(keysIn(await memory.passing('odd', texts, isOdd), texts)).toEqual(odd(texts));
  });

  it('of two filters are apart, and forgotten when all is', async () => {
    const memory = new FilterMemory();
    const texts = [named('a', 4)];
    const even = await memory.passing('even', texts, (key) => !isOdd(key));
    expect(keysIn(await memory.passing('odd', texts, isOdd), texts)).toEqual(['a1', 'a3']);
    expect(keysIn(even, texts)).toEqual(['a0', 'a2']);
    memory.clear();
    expect(keysIn(await memory.passing('odd', texts, () => true), texts)).toEqual(texts[0]);
  });

  it('have none where an id was never given', async () => {
    const texts: (string | undefined)[][] = [['a0', undefined, 'a2']];
    const bits = await new FilterMemory().passing('all', texts, () => true);
    expect([0, 1, 2, 3].map((keyId) => hasKey(bits, 0, keyId))).toEqual([true, false, true, false]);
  });
});
