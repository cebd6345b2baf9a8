import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exact } from '../../domain/exact.ts';
import type { Fold } from '../../domain/meter-type.ts';
import { mergeBlocks } from '../../topk/merge-blocks.ts';
import { packRun, type ShardBlock } from '../../topk/packed-run.ts';
import { unpackRun } from '../../topk/unpack-run.ts';
import {
  foldTwo,
  isSaid,
  meaningOf,
  type PlainBlock,
  type PlainReading,
  plainBlockOf,
  shardBlockOf,
} from './plain-blocks.ts';
import { blocksOf, rowsOf, someFolds } from './random-blocks.ts';

type Folds = (Fold | null)[];

/** Blocks of one start, and by which meters' rules they combine. */
const parts: fc.Arbitrary<[Folds, PlainBlock[]]> = someFolds.chain((folds) =>
  fc.tuple(
    fc.constant(folds),
    fc.array(
      rowsOf({ folds }).map((rows) => ({ start: 0, rows })),
      { maxLength: 5 },
    ),
  ),
);

const merge = (blocks: readonly ShardBlock[], folds: Folds): ShardBlock =>
  mergeBlocks(0, blocks, folds);

const meaning = (block: ShardBlock, folds: Folds) => meaningOf(plainBlockOf(block), folds);

/** What all readings of each key and slot come to, one by one. */
function plainly(blocks: readonly PlainBlock[], folds: Folds): Map<string, Exact> {
  const all = new Map<string, { reading: PlainReading; fold: Fold }>();
  for (const { rows } of blocks) {
    for (const { id, readings } of rows) {
      for (const [slot, fold] of folds.entries()) {
        if (!fold) continue;
        const place = `${id} slot ${slot}`;
        const before = all.get(place)?.reading ?? null;
        all.set(place, { reading: foldTwo(before, readings[slot] ?? null, fold), fold });
      }
    }
  }
  return new Map(
    [...all].flatMap(([place, { reading, fold }]) =>
      isSaid(reading, fold) ? [[place, reading]] : [],
    ),
  );
}

describe('blocks merged into one', () => {
  it('hold of each key what all its readings come to', () => {
    const isSame = fc.property(parts, ([folds, blocks]) => {
      const merged = merge(
        blocks.map((block) => shardBlockOf(block, folds.length)),
        folds,
      );
      expect(meaning(merged, folds)).toEqual(plainly(blocks, folds));
    });
    fc.assert(isSame, { numRuns: 300 });
  });

  it('are the same however they are put together', () => {
    const isSame = fc.property(parts, fc.nat(), fc.nat(), ([folds, blocks], a, b) => {
      const all = blocks.map((block) => shardBlockOf(block, folds.length));
      const [from, to] = [a % (all.length + 1), b % (all.length + 1)].sort((x, y) => x - y);
      const grouped = merge(
        [
          merge(all.slice(to), folds),
          merge(all.slice(0, from), folds),
          merge(all.slice(from, to), folds),
        ],
        folds,
      );
      expect(meaning(grouped, folds)).toEqual(meaning(merge(all, folds), folds));
    });
    fc.assert(isSame, { numRuns: 300 });
  });

  it('are the same when they were packed and stored in between', () => {
    const isSame = fc.property(parts, ([folds, blocks]) => {
      const all = blocks.map((block) => shardBlockOf(block, folds.length));
      const once = merge(all, folds);
      const [stored] = unpackRun(packRun([once], 60, folds.length), 60, folds.length);
      expect(stored && plainBlockOf(stored)).toEqual(plainBlockOf(once));
      expect(meaning(merge([once, once], folds), folds)).toEqual(
        plainly([...blocks, ...blocks], folds),
      );
    });
    fc.assert(isSame, { numRuns: 200 });
  });

  it('have ascending keys, each with a reading that counts, and the start they were given', () => {
    const isProper = fc.property(parts, ([folds, blocks]) => {
      const { ids, start } = mergeBlocks(
        7200,
        blocks.map((block) => shardBlockOf(block, folds.length)),
        folds,
      );
      expect(start).toBe(7200);
      const keys = [...plainly(blocks, folds).keys()].map((place) => Number.parseInt(place, 10));
      expect([...ids]).toEqual([...new Set(keys)].sort((a, b) => a - b));
    });
    fc.assert(isProper);
  });

  it('take in a key that stands in a block more than once, as a group’s series does', () => {
    const block = { ids: Uint32Array.of(1, 3, 3), columns: [column([4, 1, 2])] };
    const merged = mergeBlocks(0, [block, block], ['sum']);
    expect(meaning(merged, ['sum'])).toEqual(
      new Map([
        ['1 slot 0', { sum: 8n, count: 1n }],
        ['3 slot 0', { sum: 6n, count: 1n }],
      ]),
    );
  });

  it('keep sums that pass 2^53, and then 2^63', () => {
    const row = (sum: bigint) => [{ id: 0, readings: [{ sum, count: 1n }] }];
    let block = shardBlockOf({ start: 0, rows: row(2n ** 53n - 1n) }, 1);
    for (let doublings = 1; doublings <= 20; doublings += 1) {
      block = merge([block, block], ['sum']);
      const sum = (2n ** 53n - 1n) * 2n ** BigInt(doublings);
      expect(plainBlockOf(block).rows).toEqual(row(sum));
    }
  });
});

const column = (values: readonly number[]) => ({
  ...{ values: { low: Float64Array.from(values), high: null }, counts: null },
});

describe('a meter that takes no readings', () => {
  it('has none in a merged block, whatever lies in its slot', () => {
    const isNone = fc.property(blocksOf({ folds: ['sum', 'mean'] }, { level: 60 }), (blocks) => {
      const merged = merge(
        blocks.map((block) => shardBlockOf(block, 2)),
        [null, 'mean'],
      );
      expect(merged.columns[0]).toBeNull();
    });
    fc.assert(isNone);
  });
});
