import { describe, expect, it } from 'vitest';
import { AnswerCache } from '../../../engine/cache/answer-cache.ts';
import type { TopKeys } from '../../../engine/toppers/topper-answers.ts';

const question = (maxItems: number) => ({
  read: {
    groupId: 1,
    bucketSeconds: 60,
    meterIndex: 0,
    aggregate: 'sum' as const,
    probeId: null,
    interval: { from: 0, to: 60 },
    prefix: null,
  },
  question: { kind: 'top' as const, maxItems, within: null, passing: null },
});

const asked = (maxItems: number, version = 1) => ({
  ...question(maxItems),
  context: 'primary 1',
  version,
});

const made = (maxItems: number, segments = ['1.7', '2.9']) => ({
  ...question(maxItems),
  node: 'primary',
  segments,
});

const ONE = { sum: 1n, count: 1n };

const answerOf = (keys: number): TopKeys => ({
  kind: 'top',
  listed: Array.from({ length: keys }, (_, i) => ({ key: String(i), value: ONE })),
  total: ONE,
  others: null,
  othersMatching: null,
  keyCount: keys,
});

describe('cached answers', () => {
  it('stay within their limit of bytes, and the most recently used are kept', () => {
    const memory = new AnswerCache(100_000);
    for (let i = 1; i <= 100; i += 1) {
      memory.keep(asked(i), made(i), answerOf(20));
      memory.find(asked(1));
      expect(memory.bytes).toBeLessThanOrEqual(100_000);
    }
    const kept = (i: number) => memory.find(asked(i)) !== null;
    expect([1, 2, 50, 100].map(kept)).toEqual([true, false, false, true]);
  });

  it('are found by the version of their data, and by the segments that they were made from', () => {
    const memory = new AnswerCache(100_000);
    memory.keep(asked(5), made(5), answerOf(5));
    expect(memory.find(asked(5))).toEqual(answerOf(5));
    expect(memory.find(asked(5, 2))).toBeNull();
    expect(memory.find(asked(6))).toBeNull();
    expect(memory.findMadeOf(made(5))).toEqual(answerOf(5));
    expect(memory.findMadeOf(made(5, ['1.7', '2.9', '3.4']))).toBeNull();
    expect(memory.findMadeOf(made(6))).toBeNull();
  });

  it('are not kept if the limit is 0', () => {
    const memory = new AnswerCache(0);
    memory.keep(asked(5), made(5), answerOf(5));
    expect(memory.find(asked(5))).toBeNull();
    expect(memory.findMadeOf(made(5))).toBeNull();
    expect(memory.bytes).toBe(0);
  });
});
