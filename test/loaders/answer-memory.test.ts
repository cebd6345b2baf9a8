import { describe, expect, it } from 'vitest';
import { AnswerMemory } from '../../resolvers/loaders/answer-memory.ts';
import type { TopAnswer } from '../../topk/answer-questions.ts';

const asked = (maxItems: number, version = 1) => ({
  ...{ context: 'primary 1', version },
  read: {
    ...{ groupId: 1, bucketSeconds: 60, slot: 0, fold: 'sum' as const, probeId: null },
    interval: { from: 0, to: 60 },
  },
  question: { kind: 'top' as const, maxItems, within: null, passing: null },
});

const ONE = { sum: 1n, count: 1n };

const answerOf = (keys: number): TopAnswer => ({
  kind: 'top',
  candidates: Array.from({ length: keys }, (_, keyId) => ({ shard: 0, keyId, value: ONE })),
  ...{ total: ONE, rest: null, restPassing: null, keyCount: keys },
});

describe('remembered answers', () => {
  it('take no more bytes than they may, and those that were asked for last are kept', () => {
    const memory = new AnswerMemory(100_000);
    for (let i = 1; i <= 100; i += 1) {
      memory.keep(asked(i), answerOf(20));
      memory.find(asked(1));
      expect(memory.bytes).toBeLessThanOrEqual(100_000);
    }
    const kept = (i: number) => memory.find(asked(i)) !== null;
    expect([1, 2, 50, 100].map(kept)).toEqual([true, false, false, true]);
  });

  it('are found at the version of their data only', () => {
    const memory = new AnswerMemory(100_000);
    memory.keep(asked(5), answerOf(5));
    expect(memory.find(asked(5))).toEqual(answerOf(5));
    expect(memory.find(asked(5, 2))).toBeNull();
    expect(memory.find(asked(6))).toBeNull();
  });

  it('are none where they may take nothing', () => {
    const memory = new AnswerMemory(0);
    memory.keep(asked(5), answerOf(5));
    expect(memory.find(asked(5))).toBeNull();
    expect(memory.bytes).toBe(0);
  });
});
