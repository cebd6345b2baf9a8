import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeBlocks } from '../../topk/merge-blocks.ts';
import { packRuns, type RunSpace, runsToRewrite } from '../../topk/pack-runs.ts';
import type { PackedRun, ShardBlock } from '../../topk/packed-run.ts';
import { unpackRun } from '../../topk/unpack-run.ts';

/** Ids and values in a run, unless one block alone has more. */
const RUN_NUMBERS = 12_000;

/** A block of one slot: keys from 0 on, each of which reads `value`. */
const block = (start: number, keys: number, value = 1): ShardBlock => ({
  start,
  ids: Uint32Array.from({ length: keys }, (_, id) => id),
  columns: [{ values: { low: new Float64Array(keys).fill(value), high: null }, counts: null }],
});

const numbersOf = ({ ids }: ShardBlock): number => ids.length * 2;

const spaces = [
  { level: 60, within: 3600, slots: 1 },
  { level: 3600, within: 86_400, slots: 1 },
  { level: 1, within: Number.POSITIVE_INFINITY, slots: 1 },
] as const satisfies readonly RunSpace[];

/** Starts and sizes of blocks that ascend; some have more numbers than a run has room for. */
const blocks = ({ level }: RunSpace, maxLength = 30): fc.Arbitrary<ShardBlock[]> =>
  fc
    .array(
      fc.tuple(
        fc.oneof(
          { weight: 8, arbitrary: fc.constant(1) },
          { weight: 2, arbitrary: fc.integer({ min: 2, max: 50 }) },
        ),
        fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 500, max: 7000 })),
      ),
      { maxLength },
    )
    .map((steps) => {
      let start = 0;
      return steps.map(([distance, keys]) => {
        start += distance * level;
        return block(start, keys);
      });
    });

const unpacked = (run: PackedRun, { level }: RunSpace): ShardBlock[] => unpackRun(run, level, 1);

const placeOf = (start: number, within: number): number =>
  within === Number.POSITIVE_INFINITY ? 0 : Math.floor(start / within);

describe.each(spaces)('blocks packed within $within seconds', (space) => {
  it('are all there, in their order', () => {
    const isSame = fc.property(blocks(space), (all) => {
      const found = packRuns(all, space).flatMap((run) => unpacked(run, space));
      expect(found).toEqual(all);
    });
    fc.assert(isSame, { numRuns: 8 });
  });

  it('are in as few runs as keep to the limits: size, and what may share one', () => {
    const isSmall = fc.property(blocks(space), (all) => {
      const runs = packRuns(all, space).map((run) => unpacked(run, space));
      for (const [place, run] of runs.entries()) {
        const numbers = run.reduce((sum, each) => sum + numbersOf(each), 0);
        if (run.length > 1) expect(numbers).toBeLessThanOrEqual(RUN_NUMBERS);
        const [first, last] = [run[0]?.start ?? 0, run.at(-1)?.start ?? 0];
        expect(placeOf(first, space.within)).toBe(placeOf(last, space.within));
        const next = runs[place + 1]?.[0];
        if (!next || placeOf(next.start, space.within) !== placeOf(first, space.within)) continue;
        expect(numbers + numbersOf(next)).toBeGreaterThan(RUN_NUMBERS);
      }
    });
    fc.assert(isSmall, { numRuns: 30 });
  });
});

describe('the stored runs that blocks come to', () => {
  const places = [
    { start: 0, last: 600, bytes: 30_000 },
    { start: 1200, last: 1800, bytes: 10 },
    { start: 3600, last: 4200, bytes: 10 },
  ];

  it.each<[string, number[], number[]]>([
    ['one that has a block of the same start, be it full', [600], [0]],
    ['one around it', [60], [0]],
    ['none where a full one ends before it', [660], []],
    ['the one before it where that has room', [1860], [1200]],
    ['none where the one before it may not share with it', [3540 - 3600, 7200], []],
    ['each once', [1200, 1260, 3600, 4260], [1200, 3600]],
  ])('are %s', (_, starts, expected) => {
    expect(runsToRewrite(places, starts, 3600).map(({ start }) => start)).toEqual(expected);
  });

  it('are none where nothing is stored', () => {
    expect(runsToRewrite([], [60], 3600)).toEqual([]);
  });
});

/** What is stored of one shard, and how blocks are added to it: as the writer does it. */
class Store {
  runs: PackedRun[] = [];
  readonly #space: RunSpace;

  constructor(space: RunSpace) {
    this.#space = space;
  }

  add(added: readonly ShardBlock[]): void {
    const places = this.runs.map((run) => ({ ...run, bytes: run.data.length }));
    const starts = added.map(({ start }) => start);
    const rewritten = runsToRewrite(places, starts, this.#space.within);
    const taken = new Set(rewritten.map(({ start }) => start));
    const before = this.runs.filter(({ start }) => taken.has(start));
    const all = new Map<number, ShardBlock[]>();
    for (const each of [...before.flatMap((run) => unpacked(run, this.#space)), ...added]) {
      all.set(each.start, [...(all.get(each.start) ?? []), each]);
    }
    const merged = [...all.keys()]
      .sort((a, b) => a - b)
      .map((start) => mergeBlocks(start, all.get(start) ?? [], ['sum']));
    const kept = this.runs.filter(({ start }) => !taken.has(start));
    const packed = packRuns(
      merged,
      this.#space,
      kept.map(({ start }) => start),
    );
    this.runs = [...kept, ...packed].sort((a, b) => a.start - b.start);
  }
}

describe.each(spaces)('runs that blocks are added to within $within seconds', (space) => {
  /** Blocks at random places, whose numbers take one byte or six. */
  const addition = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 200 }),
      fc.constantFrom(1, 30, 1500, 4000),
      fc.constantFrom(1, 2 ** 36),
    ),
    { minLength: 1, maxLength: 12 },
  );

  it('never overlap, and hold every reading once', () => {
    const isInOrder = fc.property(fc.array(addition, { minLength: 1, maxLength: 5 }), (times) => {
      const store = new Store(space);
      const sums = new Map<number, number>();
      for (const added of times) {
        const byStart = new Map(added.map(([at, ...rest]) => [at * space.level, rest]));
        store.add(
          [...byStart]
            .sort(([a], [b]) => a - b)
            .map(([start, [keys, value]]) => block(start, keys, value)),
        );
        for (const [start, [keys, value]] of byStart) {
          sums.set(start, (sums.get(start) ?? 0) + keys * value);
        }
      }
      for (const [place, run] of store.runs.entries()) {
        expect(run.start).toBeGreaterThan(store.runs[place - 1]?.last ?? -1);
      }
      const stored = store.runs.flatMap((run) => unpacked(run, space));
      const total = ({ columns }: ShardBlock) =>
        columns[0]?.values.low.reduce((sum, value) => sum + value, 0) ?? 0;
      expect(stored.map((each) => [each.start, total(each)])).toEqual(
        [...sums].sort(([a], [b]) => a - b),
      );
    });
    fc.assert(isInOrder, { numRuns: 40 });
  });
});
