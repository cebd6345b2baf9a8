import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FLAG, packRun } from '../../topk/packed-run.ts';
import { unpackRun } from '../../topk/unpack-run.ts';
import { type PlainBlock, plainBlockOf, shardBlockOf } from './plain-blocks.ts';
import { blocksOf, readingOf, someFolds } from './random-blocks.ts';

const LEVEL = 60;

/** The largest key id that the database holds. */
const MOST_ID = 2 ** 31 - 1;

const run = (blocks: readonly PlainBlock[], slots: number, level = LEVEL) =>
  packRun(
    blocks.map((block) => shardBlockOf(block, slots)),
    level,
    slots,
  );

const one = (rows: PlainBlock['rows']): PlainBlock => ({ start: 0, rows });

/** A block of one slot with these values, keys counted from 0; null is no reading. */
const valuesBlock = (values: readonly (bigint | null)[]): PlainBlock =>
  one(values.map((sum, id) => ({ id, readings: [sum === null ? null : { sum, count: 1n }] })));

/** What the values of a run's one block begin with. */
const flagsOf = (block: PlainBlock): number => {
  const { data, ends } = run([block], 1);
  return data[ends[0] ?? 0] ?? 0;
};

describe('a packed run', () => {
  it('gives back the blocks that went in', () => {
    const random = someFolds.chain((folds) =>
      fc.tuple(
        fc.constant(folds.length),
        blocksOf({ folds, mostId: MOST_ID }, { level: LEVEL, from: 1_721_001_600 }),
      ),
    );
    const comesBack = fc.property(random, ([slots, blocks]) => {
      const packed = run(blocks, slots);
      expect(unpackRun(packed, LEVEL, slots).map(plainBlockOf)).toEqual(blocks);
      expect([packed.start, packed.last]).toEqual([blocks[0]?.start, blocks.at(-1)?.start]);
      expect(packed.ends).toHaveLength(slots + 1);
      expect(packed.ends.at(-1)).toBe(packed.data.length);
    });
    fc.assert(comesBack, { numRuns: 300 });
  });

  it('has no readings of slots that came after it was packed', () => {
    const random = fc.tuple(
      blocksOf({ folds: ['sum'] }, { level: LEVEL }),
      fc.integer({ min: 1, max: 3 }),
    );
    const comesBack = fc.property(random, ([blocks, added]) => {
      const unpacked = unpackRun(run(blocks, 1), LEVEL, 1 + added).map(plainBlockOf);
      const expected = blocks.map(({ start, rows }) => ({
        start,
        rows: rows.map(({ id, readings }) => ({
          id,
          readings: [...readings, ...Array.from({ length: added }, () => null)],
        })),
      }));
      expect(unpacked).toEqual(expected);
    });
    fc.assert(comesBack);
  });

  it('may begin at −1, as the pages of series do', () => {
    const blocks = [-1, 0, 7].map((start) => ({ ...valuesBlock([1n, 2n]), start }));
    const packed = run(blocks, 1, 1);
    expect([packed.start, packed.last]).toEqual([-1, 7]);
    expect(unpackRun(packed, 1, 1).map(plainBlockOf)).toEqual(blocks);
  });

  it('holds blocks without any key', () => {
    const blocks = [one([]), { ...valuesBlock([5n]), start: LEVEL }];
    expect(unpackRun(run(blocks, 1), LEVEL, 1).map(plainBlockOf)).toEqual(blocks);
  });

  it('of no block at all cannot be', () => {
    expect(() => packRun([], LEVEL, 1)).toThrow('a run has at least one block');
  });
});

describe('the numbers of a packed run', () => {
  const [MOST_NARROW, MOST_SIGNED] = [2n ** 53n - 1n, 2n ** 52n - 1n];

  it.each<[string, readonly (bigint | null)[], number]>([
    ['small ones', [0n, 1n, MOST_NARROW], FLAG.some],
    ['one beyond 2^53', [1n, MOST_NARROW + 1n], FLAG.some | FLAG.wide],
    ['one beyond 2^63', [1n, 2n ** 63n, -(2n ** 63n) - 5n, 2n ** 80n], FLAG.some | FLAG.wide],
    ['negative ones', [0n, -1n, MOST_SIGNED, -MOST_SIGNED], FLAG.some | FLAG.signed],
    ['negative ones too large for a sign bit', [-1n, MOST_SIGNED + 1n], FLAG.some | FLAG.wide],
    ['some of all keys', [3n, null, null, 4n], FLAG.some | FLAG.gaps],
    ['some, negative', [null, -3n, null], FLAG.some | FLAG.gaps | FLAG.signed],
    ['some, wide', [null, 2n ** 70n, null], FLAG.some | FLAG.gaps | FLAG.wide],
    ['none', [null, null], 0],
  ])('%s are kept as such, and come back', (_, values, flags) => {
    const block = valuesBlock(values);
    expect(flagsOf(block)).toBe(flags);
    expect(unpackRun(run([block], 1), LEVEL, 1).map(plainBlockOf)).toEqual([block]);
  });

  it.each([
    ['left out where each is 1', 1n, 0],
    ['kept where one is not', 2n, FLAG.counts],
    ['kept beyond 2^53', 2n ** 60n, FLAG.counts | FLAG.wideCounts],
  ])('counts are %s', (_, count, flags) => {
    const readings = [{ sum: 4n, count }, { sum: -4n, count: 1n }, null];
    const block = one(readings.map((reading, id) => ({ id, readings: [reading] })));
    const others = FLAG.some | FLAG.gaps | FLAG.signed;
    expect(flagsOf(block) & ~others).toBe(flags);
    expect(unpackRun(run([block], 1), LEVEL, 1).map(plainBlockOf)).toEqual([block]);
  });
});

describe('the key ids of a packed run', () => {
  const bytesOfIds = (ids: readonly number[]): number => {
    const block = one(ids.map((id) => ({ id, readings: [null] })));
    expect(unpackRun(run([block], 1), LEVEL, 1).map(plainBlockOf)).toEqual([block]);
    return run([block], 1).ends[0] ?? 0;
  };

  it('take at most a byte each, where they are close together a bit', () => {
    const head = bytesOfIds([]);
    const count = 800;
    const everySeventh = Array.from({ length: count }, (_, i) => i * 7);
    const everyTenth = Array.from({ length: count }, (_, i) => i * 10);
    const dense = Array.from({ length: count }, (_, i) => i + 1_000_000);
    expect(bytesOfIds(dense) - head).toBeLessThan(count / 8 + 10);
    expect(bytesOfIds(everySeventh) - head).toBeLessThan(count);
    expect(bytesOfIds(everyTenth) - head).toBeLessThan(count + 10);
  });

  it('may be as large as the database has them', () => {
    bytesOfIds([0, MOST_ID - 1, MOST_ID]);
    bytesOfIds([MOST_ID]);
  });
});

describe('all meters together', () => {
  it('do not disturb each other: each slot has its own part', () => {
    const random = fc.tuple(
      blocksOf({ folds: ['sum', 'mean', 'min'], reading: readingOf }, { level: LEVEL }),
      fc.integer({ min: 0, max: 2 }),
    );
    const isApart = fc.property(random, ([blocks, slot]) => {
      const only = blocks.map(({ start, rows }) => ({
        start,
        rows: rows.map(({ id, readings }) => ({ id, readings: [readings[slot] ?? null] })),
      }));
      const [all, alone] = [run(blocks, 3), run(only, 1)];
      const part = all.data.subarray(all.ends[slot], all.ends[slot + 1]);
      expect(part).toEqual(alone.data.subarray(alone.ends[0], alone.ends[1]));
    });
    fc.assert(isApart);
  });
});
