import { describe, expect, it } from 'vitest';
import { combine } from '../../../domain/toppers/topper-arithmetic.ts';
import { answerSegments } from '../../../engine/answer/answer-segments.ts';
import type { NamedMatcher } from '../../../engine/plan/key-questions.ts';
import { HEADS_FROM, SPAN_HEAD_KEYS, TILE_HEAD_KEYS } from '../../../segments/heads/head.ts';
import { MANY_KEYS_FROM, type ManyKeys, manySamples } from '../../segments/many-keys.ts';
import { passingIfEnds, plainValues } from '../plain-values.ts';
import { aggregateAt, readOf, type Window } from '../random-stores.ts';
import {
  GROUP,
  storeWith,
  type TestRollUp,
  type TestSegment,
  type TestStore,
} from '../stored-segments.ts';

/** Several ranges, and enough keys for heads of the hours too. */
const LIMITS = { keys: 4700, rows: 1_000_000 };
const MANY = { keys: 11_000, hours: 3 };

const HOUR = 3600;
const hours = (from: number, to: number): Window => ({
  from: MANY_KEYS_FROM + from * HOUR,
  to: MANY_KEYS_FROM + to * HOUR,
});

const segmentOf = (many: ManyKeys, probeId = 0): TestSegment => ({
  probeId,
  samples: manySamples(many),
});

type Asked = {
  readonly meterIndex: number;
  readonly window: Window;
  readonly maxItems: number;
  readonly passing?: NamedMatcher | null;
};

/** Asks a topper and compares it with plain arithmetic. Returns whether heads were used. */
async function check(
  { reader, live }: TestStore,
  contents: readonly TestSegment[],
  { meterIndex, window, maxItems, passing = null }: Asked,
): Promise<boolean> {
  reader.memory.clear();
  const read = readOf(meterIndex, window, null);
  const question = { kind: 'top', maxItems, within: null, passing } as const;
  const [answer] = await answerSegments(reader, live, [{ group: GROUP, read, question }], null);
  if (answer?.kind !== 'top') throw new Error('a topper was asked for');
  const all = plainValues(contents, { meterIndex, window, probeId: null });
  const passed = passing ? all.filter(({ key }) => key.endsWith('1')) : all;
  const aggregate = aggregateAt(meterIndex);
  const valuesOf = (list: typeof all) =>
    combine(
      list.map(({ value }) => value),
      aggregate,
    );
  const listed = passed.slice(0, maxItems);
  const keys = new Set(listed.map(({ key }) => key));
  expect(answer.listed).toEqual(listed);
  expect(answer.keyCount).toBe(passed.length);
  expect(answer.total?.sum).toBe(valuesOf(all)?.sum);
  expect(answer.others?.sum).toBe(valuesOf(all.filter(({ key }) => !keys.has(key)))?.sum);
  expect(answer.othersMatching?.sum).toBe(valuesOf(passed.slice(maxItems))?.sum);
  const kept = new Map(reader.memory.use().map(({ kind, bytes }) => [kind, bytes]));
  const isByHeads = (kept.get('heads') ?? 0) > 0;
  // Nothing else is read then.
  const others = (kept.get('keys') ?? 0) + (kept.get('blocks') ?? 0);
  if (isByHeads) expect(others).toBe(0);
  return isByHeads;
}

const COUNTERS = [0, 5];
const WINDOWS: [string, Window][] = [
  ['the whole span', hours(-1, 9)],
  ['an hour', hours(1, 2)],
  ['the last hour, up to a later time', hours(2, 4)],
  ['an hour without readings', hours(3, 4)],
];

describe('toppers of one long block', () => {
  for (const isWide of [false, true]) {
    const contents = [segmentOf({ ...MANY, isWide })];
    const stored = storeWith(contents, [], LIMITS);
    const title = isWide ? 'beyond 2^53 too' : 'with many equal values';
    it.each(WINDOWS)(`equal plain arithmetic, ${title}: %s`, async (_, window) => {
      const store = await stored;
      const isEmpty = window.from === hours(3, 4).from;
      for (const meterIndex of COUNTERS) {
        const most = window.to - window.from > 3 * HOUR ? SPAN_HEAD_KEYS : TILE_HEAD_KEYS;
        for (const maxItems of [1, 10, most]) {
          expect(await check(store, contents, { meterIndex, window, maxItems })).toBe(!isEmpty);
        }
      }
    });
  }

  it('are answered from one head, and again from the cache', async () => {
    const contents = [segmentOf(MANY)];
    const store = await storeWith(contents, [], LIMITS);
    const { reader, live } = store;
    const read = readOf(0, hours(0, 3), null);
    const question = { kind: 'top', maxItems: 10, within: null, passing: null } as const;
    const ask = () => answerSegments(reader, live, [{ group: GROUP, read, question }], null);
    const first = await ask();
    expect(store.statements()).toBe(1);
    expect(await ask()).toEqual(first);
    expect(store.statements()).toBe(1);
  });

  it('are answered from keys and blocks that are cached, without a statement', async () => {
    const store = await storeWith([segmentOf(MANY)], [], LIMITS);
    const { reader, live } = store;
    const read = readOf(0, hours(0, 3), null);
    const ask = (maxItems: number) => {
      const question = { kind: 'top', maxItems, within: null, passing: null } as const;
      return answerSegments(reader, live, [{ group: GROUP, read, question }], null);
    };
    await ask(SPAN_HEAD_KEYS + 1);
    expect(store.statements()).toBe(1);
    await ask(10);
    expect(store.statements()).toBe(1);
  });

  it('equal plain arithmetic for a roll-up of two segments, and for what is left of it', async () => {
    const contents = [
      segmentOf({ ...MANY, seed: 2 }),
      {
        probeId: 5,
        samples: manySamples({ ...MANY, seed: 3 }).map((sample) => ({
          ...sample,
          bucket: sample.bucket + 24 * HOUR,
        })),
      },
    ];
    const rollUps: TestRollUp[] = [{ probeId: -1, sources: [1, 2] }];
    const store = await storeWith(contents, rollUps, LIMITS);
    const asked = { meterIndex: 0, maxItems: 100 };
    expect(await check(store, contents, { ...asked, window: hours(0, 48) })).toBe(true);
    expect(await check(store, contents, { ...asked, window: hours(0, 26) })).toBe(false);
    expect(await check(store, contents, { ...asked, window: hours(0, 24) })).toBe(true);
  });
});

describe('toppers for which heads are not enough', () => {
  const contents = [segmentOf(MANY)];
  const window = hours(0, 3);

  it.each<[string, Asked]>([
    ['more keys than a head has', { meterIndex: 0, window, maxItems: SPAN_HEAD_KEYS + 1 }],
    [
      'more keys than the head of an hour has',
      { meterIndex: 0, window: hours(1, 2), maxItems: TILE_HEAD_KEYS + 1 },
    ],
    ['all keys', { meterIndex: 5, window, maxItems: 10_000 }],
    ['a filter', { meterIndex: 0, window, maxItems: 10, passing: passingIfEnds('1') }],
    ['two hours', { meterIndex: 0, window: hours(1, 3), maxItems: 10 }],
    [
      'a part of an hour',
      { meterIndex: 0, window: { ...hours(0, 1), to: hours(0, 1).to - 60 }, maxItems: 5 },
    ],
    ['a maximum', { meterIndex: 3, window, maxItems: 10 }],
    ['a minimum', { meterIndex: 4, window, maxItems: 10 }],
    ['a mean', { meterIndex: 1, window, maxItems: 10 }],
  ])('read the whole block: %s', async (_, asked) => {
    const store = await storeWith(contents, [], LIMITS);
    expect(await check(store, contents, asked)).toBe(false);
  });

  it('read the whole block of a segment with so few keys that it has no head', async () => {
    const few = [segmentOf({ ...MANY, keys: HEADS_FROM })];
    const store = await storeWith(few, [], LIMITS);
    expect(await check(store, few, { meterIndex: 0, window, maxItems: 10 })).toBe(false);
  });
});
