import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerSegments } from '../../../engine/answer/answer-segments.ts';
import { certifiedTop, type EdgeBlock, withoutEdges } from '../../../engine/answer/head-answers.ts';
import { boundedColumn } from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import type { TopKeys } from '../../../engine/plan/key-questions.ts';
import { HeadCollector, rankHead } from '../../../segments/heads/head.ts';
import { KeyListBuilder } from '../../../segments/keys/key-list-builder.ts';
import { MANY_KEYS_FROM, manySamples } from '../../segments/many-keys.ts';
import { CODEC, type PlainSample } from '../../segments/plain-segments.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { lanesOf } from '../kernel/plain-blocks.ts';
import { passingIfEnds } from '../plain-values.ts';
import { readOf, type Window } from '../random-stores.ts';
import { GROUP, storeWith, type TestSegment, type TestStore } from '../stored-segments.ts';

/** Few different values, so that many are equal; some beyond 2^53. */
const values = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt(0n, 4n) },
  { weight: 1, arbitrary: fc.bigInt(2n ** 53n - 1n, 2n ** 53n + 2n) },
);

/** What a key has before, in and after the window. */
const keys = fc.array(fc.tuple(values, values, values), { minLength: 1, maxLength: 24 });

const keyText = (i: number): string => `C0.A8.01.${i.toString(16).toUpperCase().padStart(2, '0')}`;

function headOf(totals: readonly bigint[], limit: number) {
  const list = new KeyListBuilder({ keys: totals.length, bytes: 0 });
  for (const i of totals.keys()) list.add(CODEC.encode(keyText(i)));
  const collector = new HeadCollector(limit);
  const ordinals = Uint32Array.from(totals.keys());
  const column = { values: lanesOf(totals), counts: null };
  collector.add({ keys: list.finish(), ordinals, firstOrdinal: 0, column });
  const head = collector.finish();
  return head && rankHead(head);
}

/** The block of an edge; `isMapped`: of a source that has only the keys with a reading there. */
function edgeOf(own: readonly bigint[], isMapped: boolean): EdgeBlock {
  const ids = Uint32Array.from([...own.keys()].filter((i) => own[i] !== 0n));
  const column = boundedColumn({
    values: lanesOf(Array.from(ids, (i) => own[i] ?? 0n)),
    counts: null,
  });
  return isMapped
    ? { ids: ids.map((_, i) => i), column, sign: -1, maps: [ids] }
    : { ids, column, sign: -1, maps: [] };
}

function plainTop(inside: readonly bigint[], maxItems: number) {
  const ordered = inside
    .map((value, i) => ({ key: keyText(i), value }))
    .filter(({ value }) => value > 0n)
    .sort((a, b) => (a.value === b.value ? (a.key < b.key ? -1 : 1) : a.value < b.value ? 1 : -1));
  const sumOf = (list: readonly { readonly value: bigint }[]) =>
    list.length === 0 ? null : { sum: list.reduce((sum, { value }) => sum + value, 0n), count: 1n };
  return {
    ordered,
    listed: ordered
      .slice(0, maxItems)
      .map(({ key, value }) => ({ key, value: { sum: value, count: 1n } })),
    total: sumOf(ordered),
    others: sumOf(ordered.slice(maxItems)),
  };
}

describe('a head without the edges of its span', () => {
  it('gives the largest keys and totals, or nothing', () => {
    const sizes = fc.record({
      limit: fc.integer({ min: 1, max: 8 }),
      maxItems: fc.integer({ min: 1, max: 8 }),
      isMapped: fc.boolean(),
    });
    fc.assert(
      fc.property(keys, sizes, (list, { limit, maxItems, isMapped }) => {
        const head = headOf(
          list.map(([before, inside, after]) => before + inside + after),
          limit,
        );
        fc.pre(head !== null);
        const edges = [
          edgeOf(
            list.map(([before]) => before),
            isMapped,
          ),
          edgeOf(
            list.map(([, , after]) => after),
            false,
          ),
        ];
        const found = withoutEdges(head, edges);
        const top = certifiedTop(found, maxItems, { head, codec: CODEC });
        const plain = plainTop(
          list.map(([, inside]) => inside),
          maxItems,
        );
        // Every key that may be missing from the head has at most the head's last value.
        const isSure =
          plain.listed.length === maxItems && (plain.listed.at(-1)?.value.sum ?? 0n) > found.bound;
        expect(top !== null).toBe(isSure || found.bound === 0n);
        if (!top) return;
        const { listed, total, others } = plain;
        const keyCount = found.bound === 0n ? plain.ordered.length : null;
        expect(top).toEqual({
          kind: 'top',
          listed,
          total,
          others,
          othersMatching: others,
          keyCount,
        });
      }),
      { numRuns: 20 * FUZZ_CASES },
    );
  });
});

const HOUR = 3600;
const SPACING = 6 * HOUR;
const LIMITS = { keys: 3000, rows: 1_000_000 };

const segmentAt = (seed: number, index: number, probeId = 0): TestSegment => ({
  probeId,
  samples: manySamples({ keys: 4400, hours: 5, seed, isWide: seed % 2 === 0 }).map(
    (sample): PlainSample => ({ ...sample, bucket: sample.bucket + index * SPACING }),
  ),
});

/** A late segment: a few keys of the first segment, in the time of the second. */
const late: TestSegment = {
  probeId: 0,
  samples: segmentAt(1, 1).samples.slice(0, 60),
};

const STORES: [string, readonly TestSegment[], { probeId: number; sources: number[] }[]][] = [
  ['a segment', [segmentAt(1, 0)], []],
  ['a segment with large values', [segmentAt(2, 0)], []],
  ['a roll-up', [segmentAt(1, 0), segmentAt(3, 1)], [{ probeId: -1, sources: [1, 2] }]],
  [
    'a roll-up of a roll-up and of several probes',
    [segmentAt(1, 0), segmentAt(3, 1, 5), segmentAt(5, 2)],
    [
      { probeId: -1, sources: [1, 2] },
      { probeId: -1, sources: [4, 3] },
    ],
  ],
  [
    'a roll-up and a late segment',
    [segmentAt(1, 0), segmentAt(3, 1), late],
    [{ probeId: -1, sources: [1, 2] }],
  ],
];

const window = fc
  .tuple(fc.integer({ min: -9, max: 80 }), fc.integer({ min: -9, max: 80 }))
  .map(([left, right]) => ({ left, right }));

async function ask(
  { reader, live }: TestStore,
  interval: Window,
  asked: { readonly meterIndex: number; readonly maxItems: number; readonly withoutCount: boolean },
): Promise<TopKeys> {
  const { meterIndex, maxItems, withoutCount } = asked;
  const question = { kind: 'top', maxItems, withoutCount, within: null, passing: null } as const;
  const read = readOf(meterIndex, interval, null);
  const [answer] = await answerSegments(reader, live, [{ group: GROUP, read, question }], null);
  if (answer?.kind !== 'top') throw new Error('a topper was asked for');
  return answer;
}

describe('certified toppers', () => {
  it.each(STORES)('equal those that read all keys: %s', async (_, contents, rollUps) => {
    const store = await storeWith(contents, rollUps, LIMITS);
    const other = await storeWith(contents, rollUps, LIMITS);
    const last = Math.max(...contents.map(({ samples }) => samples[0]?.bucket ?? 0));
    const end = last - ((last - MANY_KEYS_FROM) % SPACING) + 5 * HOUR;
    await fc.assert(
      fc.asyncProperty(
        window,
        fc.constantFrom(0, 5),
        fc.constantFrom(1, 10, 100, 384),
        async ({ left, right }, meterIndex, maxItems) => {
          const interval = { from: MANY_KEYS_FROM + 60 * left, to: end - 60 * right };
          const asked = { meterIndex, maxItems };
          const found = await ask(store, interval, { ...asked, withoutCount: true });
          const { keyCount, ...full } = await ask(other, interval, {
            ...asked,
            withoutCount: false,
          });
          expect(found).toMatchObject(full);
          expect([null, keyCount]).toContain(found.keyCount);
        },
      ),
      { numRuns: 60 },
    );
    const { hits } = store.reader.memory.certified;
    if (contents.includes(late)) expect(hits).toBe(0);
    else expect(hits).toBeGreaterThan(0);
    expect(other.reader.memory.certified.hits).toBe(0);
  });

  const contents = [segmentAt(1, 0)];
  const interval = { from: MANY_KEYS_FROM + 600, to: MANY_KEYS_FROM + 5 * HOUR };

  it('read neither the keys of the segment nor the values of its span', async () => {
    const store = await storeWith(contents, [], LIMITS);
    const asked = { meterIndex: 0, maxItems: 10, withoutCount: true };
    const first = await ask(store, interval, asked);
    expect(first.keyCount).toBeNull();
    expect(store.statements()).toBe(1);
    const kept = new Map(store.reader.memory.use().map(({ kind, bytes }) => [kind, bytes]));
    expect(kept.get('keys')).toBe(0);
    expect(await ask(store, interval, asked)).toEqual(first);
    expect(store.statements()).toBe(1);
  });

  it('read all keys after all if a key outside the head might be listed', async () => {
    const store = await storeWith(contents, [], LIMITS);
    const asked = { meterIndex: 0, maxItems: 384, withoutCount: true };
    const found = await ask(store, interval, asked);
    expect(found.keyCount).toBeGreaterThan(384);
    expect(store.statements()).toBe(2);
    const { hits, misses } = store.reader.memory.certified;
    expect([hits, misses]).toEqual([0, 1]);
  });

  it('are counted, and are not tried if the number of keys or a filter is asked for', async () => {
    const store = await storeWith(contents, [], LIMITS);
    const { reader, live } = store;
    await ask(store, interval, { meterIndex: 0, maxItems: 10, withoutCount: false });
    const passing = passingIfEnds('1');
    const question = {
      kind: 'top',
      maxItems: 10,
      withoutCount: true,
      within: null,
      passing,
    } as const;
    const read = readOf(0, interval, null);
    await answerSegments(reader, live, [{ group: GROUP, read, question }], null);
    expect([reader.memory.certified.hits, reader.memory.certified.misses]).toEqual([0, 0]);
    reader.memory.clear();
    await ask(store, interval, { meterIndex: 0, maxItems: 10, withoutCount: true });
    expect([reader.memory.certified.hits, reader.memory.certified.misses]).toEqual([1, 0]);
  });
});
