import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SeriesMemory,
  type SeriesPlace,
  type SeriesReadings,
} from '../../resolvers/loaders/series-memory.ts';

const DAY = 86_400;
const MANY = 1_000_000;

const placeOf = (groupId: number, day: number, slot = 1) => ({
  ...{ groupId, slot, sliceId: groupId * 100 + day, probeId: 0 },
  covers: { from: day * DAY, to: (day + 1) * DAY },
});

/** A key that reads `value` once. */
const reading = (value: number): SeriesReadings => ({
  ids: Uint32Array.of(0),
  columns: [{ values: { low: Float64Array.of(value), high: null }, counts: null }],
});

const series = (value: number) => new Map([['0 1', reading(value)]]);

const valueIn = (memory: SeriesMemory, version: number, place: SeriesPlace): number | undefined =>
  memory.find('lab', version, place)?.get('0 1')?.columns[0]?.values.low[0];

function opened(maxBytes = MANY): SeriesMemory {
  const memory = new SeriesMemory(maxBytes);
  memory.moveOn('lab', 1, null);
  return memory;
}

describe('remembered series', () => {
  it('are found at their version only, in their context', () => {
    const memory = opened();
    memory.keep('lab', 1, placeOf(1, 0), series(5));
    expect(valueIn(memory, 1, placeOf(1, 0))).toBe(5);
    expect(valueIn(memory, 2, placeOf(1, 0))).toBeUndefined();
    expect(memory.find('other', 1, placeOf(1, 0))).toBeUndefined();
    expect(valueIn(memory, 1, placeOf(1, 0, 2))).toBeUndefined();
  });

  it('of a version that has passed are not kept', () => {
    const memory = opened();
    memory.moveOn('lab', 2, []);
    memory.keep('lab', 1, placeOf(1, 0), series(5));
    expect(memory.bytes).toBe(0);
  });

  it('also tell of keys without readings, which is not the same as not to be known', () => {
    const memory = opened();
    memory.keep('lab', 1, placeOf(1, 0), new Map([['0 7', null]]));
    const found = memory.find('lab', 1, placeOf(1, 0));
    expect([found?.get('0 7'), found?.get('0 8')]).toEqual([null, undefined]);
  });

  it('of several requests come together', () => {
    const memory = opened();
    memory.keep('lab', 1, placeOf(1, 0), series(5));
    memory.keep('lab', 1, placeOf(1, 0), new Map([['0 2', reading(6)]]));
    expect([...(memory.find('lab', 1, placeOf(1, 0))?.keys() ?? [])]).toEqual(['0 1', '0 2']);
  });

  it('are forgotten where something changed, and nowhere else', () => {
    const memory = opened();
    for (const [group, day] of [
      [1, 0],
      [1, 1],
      [1, 2],
      [2, 1],
    ] as const) {
      memory.keep('lab', 1, placeOf(group, day), series(group * 10 + day));
    }
    memory.moveOn('lab', 2, [{ groupId: 1, from: DAY + 60, to: DAY + 120 }]);
    expect(valueIn(memory, 2, placeOf(1, 1))).toBeUndefined();
    expect(
      [placeOf(1, 0), placeOf(1, 2), placeOf(2, 1)].map((at) => valueIn(memory, 2, at)),
    ).toEqual([10, 12, 21]);
    memory.moveOn('lab', 3, null);
    expect(valueIn(memory, 3, placeOf(1, 0))).toBeUndefined();
    expect(memory.bytes).toBe(0);
  });

  it('never take more than their bytes, and those that were used last stay', () => {
    const memory = opened();
    memory.keep('lab', 1, placeOf(1, 0), series(1));
    const one = memory.bytes;
    const few = opened(3 * one);
    for (const day of [0, 1, 2]) few.keep('lab', 1, placeOf(1, day), series(day));
    expect(valueIn(few, 1, placeOf(1, 0))).toBe(0);
    few.keep('lab', 1, placeOf(1, 3), series(3));
    expect([0, 1, 2, 3].map((day) => valueIn(few, 1, placeOf(1, day)))).toEqual([
      ...[0, undefined, 2, 3],
    ]);
    expect(few.bytes).toBe(3 * one);
  });

  it('count their bytes truly, whatever is kept, replaced and forgotten', () => {
    const step = fc.record({
      day: fc.nat({ max: 4 }),
      key: fc.nat({ max: 3 }),
      length: fc.nat({ max: 5 }),
      change: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 0, max: 5000 }),
        (steps, max) => {
          const memory = opened(max);
          let version = 1;
          for (const { day, key, length, change } of steps) {
            if (change) {
              version += 1;
              memory.moveOn('lab', version, [{ groupId: 1, from: day * DAY, to: day * DAY + 60 }]);
            }
            const low = new Float64Array(length);
            const columns = [{ values: { low, high: null }, counts: null }];
            const readings = { ids: new Uint32Array(length), columns };
            memory.keep('lab', version, placeOf(1, day), new Map([[`0 ${key}`, readings]]));
            expect(memory.bytes).toBeGreaterThanOrEqual(0);
            expect(memory.bytes).toBeLessThanOrEqual(max);
          }
          memory.moveOn('lab', version + 1, null);
          expect(memory.bytes).toBe(0);
        },
      ),
    );
  });
});
