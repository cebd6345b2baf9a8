import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneValue } from '../../segments/codes/lanes.ts';
import { type BlockRange, type BlockUnit, unpackPage } from '../../topk/block-page.ts';
import { boundOf } from '../../topk/unit-column.ts';
import { lanesOf, type PlainReading, readingAt } from './plain-blocks.ts';
import { blocksOf, signedValue } from './random-blocks.ts';
import { type PlacedRun, storedRuns } from './stored-runs.ts';

const LEVEL = 60;
const SHAPE = { folds: ['sum', 'mean', 'min'], mostId: 100_000 } as const;

/** Runs of two groups, probes and slices and of some shards, each place once. */
const placedRuns: fc.Arbitrary<PlacedRun[]> = fc.uniqueArray(
  fc.record({
    groupId: fc.constantFrom(1, 2),
    level: fc.constant(LEVEL),
    probeId: fc.constantFrom(0, 5),
    sliceId: fc.constantFrom(10, 11),
    shard: fc.integer({ min: 0, max: 7 }),
    slots: fc.constant(3),
    blocks: blocksOf(SHAPE, { level: LEVEL, maxLength: 4 }),
  }),
  { maxLength: 8, selector: ({ blocks, ...place }) => JSON.stringify(place) },
);

const range = (groupId: number): fc.Arbitrary<BlockRange> =>
  fc.record({
    groupId: fc.constant(groupId),
    level: fc.constant(LEVEL),
    from: fc.integer({ min: 0, max: 4 }).map((at) => at * LEVEL),
    to: fc.integer({ min: 1, max: 600 }).map((at) => at * LEVEL),
    slots: fc.subarray([1, 2, 3], { minLength: 1 }),
  });

type Reading = { place: string; reading: PlainReading };

/** Every key of every unit with what it reads of each slot, in no order. */
function readingsOf(units: readonly BlockUnit[]): Reading[] {
  const found: Reading[] = [];
  for (const { groupId, level, start, probeId, sliceId, ids, shardEnds, columns } of units) {
    for (const [row, id] of ids.entries()) {
      const shard = shardEnds.findIndex((end) => row < end);
      for (const [slot, column] of columns) {
        const place = [groupId, level, start, probeId, sliceId, shard, id, slot].join(' ');
        found.push({ place, reading: column && readingAt(column, row) });
      }
    }
  }
  return found.sort(byPlace);
}

const byPlace = (a: Reading, b: Reading) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0);

/** The same of the runs that were packed. */
const expectedReadings = (runs: readonly PlacedRun[], ranges: readonly BlockRange[]): Reading[] =>
  ranges
    .flatMap(({ groupId, level, from, to, slots }) =>
      runs
        .filter((run) => run.groupId === groupId && run.level === level)
        .flatMap(({ probeId, sliceId, shard, blocks }) =>
          blocks
            .filter(({ start }) => start >= from && start < to)
            .flatMap(({ start, rows }) =>
              rows.flatMap(({ id, readings }) =>
                slots.map((slot) => ({
                  place: [groupId, level, start, probeId, sliceId, shard, id, slot].join(' '),
                  reading: readings[slot - 1] ?? null,
                })),
              ),
            ),
        ),
    )
    .sort(byPlace);

describe('a page of blocks', () => {
  it('is what the runs of all shards, probes and slices hold of the ranges, and no more', () => {
    const isSame = fc.property(placedRuns, range(1), range(2), (runs, ...ranges) => {
      const { units } = unpackPage(ranges, storedRuns(runs, ranges));
      expect(readingsOf(units)).toEqual(expectedReadings(runs, ranges));
      const places = units.map((unit) => JSON.stringify({ ...unit, ids: 0, shardEnds: 0 }));
      expect(new Set(places).size).toBe(places.length);
    });
    fc.assert(isSame, { numRuns: 80 });
  });

  it('bounds what any of its sums can come to', () => {
    const isBounded = fc.property(placedRuns, range(1), (runs, asked) => {
      const { units } = unpackPage([asked], storedRuns(runs, [asked]));
      for (const { columns, ids } of units) {
        for (const column of columns.values()) {
          if (!column) continue;
          const readings = Array.from(ids, (_, row) => readingAt(column, row));
          const size = (value: bigint) => (value < 0n ? -value : value);
          const sum = readings.reduce((all, each) => all + size(each?.sum ?? 0n), 0n);
          const count = readings.reduce((all, each) => all + (each?.count ?? 0n), 0n);
          expect(BigInt(Math.ceil(column.bound))).toBeGreaterThanOrEqual(sum);
          expect(BigInt(Math.ceil(column.countBound))).toBeGreaterThanOrEqual(count);
        }
      }
    });
    fc.assert(isBounded);
  });

  const run = (blocks: PlacedRun['blocks'], slots = 1): PlacedRun => ({
    ...{ groupId: 1, level: LEVEL, probeId: 0, sliceId: 10, shard: 2, slots, blocks },
  });
  const block = (start: number) => ({
    ...{ start, rows: [{ id: 4, readings: [{ sum: BigInt(start), count: 1n }] }] },
  });
  const asked = { groupId: 1, level: LEVEL, from: 60, to: 180, slots: [1, 2] };

  it('leaves out the blocks of a run that lie before or behind the range', () => {
    const runs = storedRuns([run([0, 60, 120, 180].map(block))], [asked]);
    expect(unpackPage([asked], runs).units.map(({ start }) => start)).toEqual([60, 120]);
  });

  it('has nothing of a slot that a run was packed without', () => {
    const [unit] = unpackPage([asked], storedRuns([run([block(60)])], [asked])).units;
    expect(unit?.columns.get(2)).toBeNull();
    expect([...(unit?.shardEnds ?? [])]).toEqual([0, 0, 1]);
  });

  it('lies in memory that threads share, and says how much', () => {
    const { units, bytes } = unpackPage([asked], storedRuns([run([block(60)])], [asked]));
    const column = units[0]?.columns.get(1);
    for (const part of [units[0]?.ids, units[0]?.shardEnds, column?.values.low]) {
      expect(part?.buffer).toBeInstanceOf(SharedArrayBuffer);
    }
    // One key and three shards of four bytes, one value of eight.
    expect(bytes).toBe(4 + 12 + 8);
  });

  it('of no runs is empty', () => {
    expect(unpackPage([asked], [])).toEqual({ units: [], bytes: 0 });
  });

  it('refuses a run of a range that nobody asked for', () => {
    const runs = storedRuns([run([block(60)])], [asked]);
    expect(() => unpackPage([], runs)).toThrow('which nobody asked for');
  });
});

describe('the bound of a column', () => {
  it('is the sum of all magnitudes or a little more', () => {
    const isBounded = fc.property(
      fc.array(fc.option(signedValue, { nil: null }), { maxLength: 200 }),
      (values) => {
        const lanes = lanesOf(values);
        const exact = values.reduce<bigint>(
          (all, v) => all + (v === null ? 0n : v < 0n ? -v : v),
          0n,
        );
        const bound = BigInt(Math.ceil(boundOf(lanes)));
        expect(bound).toBeGreaterThanOrEqual(exact);
        expect(bound).toBeLessThanOrEqual(exact + exact / 4000n + 1n);
        if (lanes.high === null && exact < 2n ** 52n) expect(bound).toBe(exact);
      },
    );
    fc.assert(isBounded, { numRuns: 300 });
  });

  it('sees what rounding would hide: 2^53 and as many ones', () => {
    const values = [2n ** 53n - 1n, ...Array.from({ length: 1000 }, () => 1n)];
    const lanes = lanesOf(values);
    expect(laneValue(lanes, 0)).toBe(2n ** 53n - 1n);
    expect(boundOf(lanes)).toBeGreaterThanOrEqual(2 ** 53 + 999);
  });
});
