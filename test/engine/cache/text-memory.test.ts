import { expect, it } from 'vitest';
import { type DescribedKey, TextCache } from '../../../engine/cache/text-cache.ts';

const keyOf = (groupId: number, key: string, label = 'x'): DescribedKey => ({
  groupId,
  key,
  label,
  description: null,
  attributes: null,
  parts: [],
  partLabels: [],
});

const at = (groupId: number, textVersion = 1) => ({ context: 'lab', textVersion, groupId });

it('a key is found in its group, at the version at which its texts were read', () => {
  const memory = new TextCache();
  memory.keep(at(1), keyOf(1, 'k'));
  const labels = (of: ReturnType<typeof at>) =>
    memory.find(of, ['k', 'l']).map((row) => row?.label);
  expect(labels(at(1))).toEqual(['x', undefined]);
  expect(labels(at(2))).toEqual([undefined, undefined]);
  expect(labels(at(1, 2))).toEqual([undefined, undefined]);
  expect([memory.tally.hits, memory.tally.misses]).toEqual([1, 5]);
});

it('a version of the texts replaces an older one, never a newer one', () => {
  const memory = new TextCache();
  memory.keep(at(1, 2), keyOf(1, 'k', 'new'));
  memory.keep(at(1, 1), keyOf(1, 'k', 'old'));
  expect(memory.find(at(1, 2), ['k'])[0]?.label).toBe('new');
  memory.keep(at(2, 3), keyOf(2, 'k', 'newest'));
  expect(memory.find(at(1, 2), ['k'])).toEqual([undefined]);
  expect(memory.find(at(2, 3), ['k'])[0]?.label).toBe('newest');
});

it('the cache is bounded: it keeps the groups, and the keys of a group, that were used last', () => {
  const memory = new TextCache();
  for (let i = 0; i < 10_000; i += 1) memory.keep(at(1), keyOf(1, `k${i}`));
  const full = memory.bytes;
  for (let i = 0; i < 10_000; i += 1) memory.keep(at(2), keyOf(2, `k${i}`));
  memory.find(at(1), ['k0']);
  for (let i = 0; i < 5_000; i += 1) memory.keep(at(3), keyOf(3, `k${i}`));
  const isKept = (groupId: number, key: string) => memory.find(at(groupId), [key])[0] !== undefined;
  expect([isKept(1, 'k0'), isKept(1, 'k1'), isKept(3, 'k0')]).toEqual([true, true, true]);
  expect([isKept(2, 'k4999'), isKept(2, 'k5000')]).toEqual([false, true]);
  expect(memory.bytes).toBeLessThan(2.1 * full);
  memory.clear();
  expect(memory.bytes).toBe(0);
});

it('the size of the cache is that of its keys, however often they are kept', () => {
  const memory = new TextCache();
  memory.keep(at(1), keyOf(1, 'k'));
  const { bytes } = memory;
  memory.keep(at(1), keyOf(1, 'k', 'xyz'));
  expect(memory.bytes).toBe(bytes + 4);
});
