import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exact } from '../../../domain/toppers/exact.ts';
import {
  appendColumns,
  joinSparse,
  plainColumns,
  type SparsePart,
  tallyColumns,
} from '../../../engine/kernel/blocks/join-sparse.ts';
import { columnOf, combineTwo, isSaid, type PlainReading, readingAt } from './plain-blocks.ts';
import { AGGREGATES, readingOf, smallReadingOf } from './random-blocks.ts';

/** Like the seconds of many years: a dense array would take gigabytes. */
const MOST = 2 ** 32 - 2;

type Part = readonly { readonly id: number; readonly reading: PlainReading }[];

/** Ids ascend within a part, but may repeat. */
const part = (reading: fc.Arbitrary<PlainReading>): fc.Arbitrary<Part> =>
  fc
    .array(
      fc.record({
        id: fc.oneof(fc.nat({ max: 20 }), fc.integer({ min: 0, max: MOST })),
        reading,
      }),
      { maxLength: 12 },
    )
    .map((rows) => rows.sort((a, b) => a.id - b.id));

/** Parts that follow each other without overlap. */
const following = (reading: fc.Arbitrary<PlainReading>): fc.Arbitrary<Part[]> =>
  fc
    .uniqueArray(fc.record({ id: fc.integer({ min: 0, max: MOST }), reading }), {
      selector: ({ id }) => id,
    })
    .map((rows) => {
      const ordered = rows.sort((a, b) => a.id - b.id);
      return [ordered.slice(0, 3), ordered.slice(3, 4), [], ordered.slice(4)];
    });

/** Every other part is shifted. */
const sparse = (parts: readonly Part[]): SparsePart[] =>
  parts.map((rows, i) => ({
    ids: Uint32Array.from(rows, ({ id }) => id + (i % 2)),
    shift: -(i % 2),
    columns: [columnOf(rows.map(({ reading }) => reading))],
  }));

const join = (parts: readonly Part[], aggregate: (typeof AGGREGATES)[number]) =>
  joinSparse(sparse(parts), aggregate);

describe.each(AGGREGATES)('readings far apart, of a meter that combines by %s', (aggregate) => {
  it('become one ascending list, with the combined reading of each id', () => {
    const parts = fc
      .constantFrom(smallReadingOf(aggregate), readingOf(aggregate))
      .chain((reading) => {
        const some = fc.option(reading, { nil: null, freq: 4 });
        return fc.oneof(fc.array(part(some), { maxLength: 5 }), following(some));
      });
    const isSame = fc.property(parts, fc.boolean(), (all, isReversed) => {
      const expected = new Map<number, PlainReading>();
      for (const { id, reading } of all.flat()) {
        expected.set(id, combineTwo(expected.get(id) ?? null, reading, aggregate));
      }
      const said = [...expected].filter((each): each is [number, Exact] =>
        isSaid(each[1], aggregate),
      );
      const { ids, column } = join(isReversed ? all.toReversed() : all, aggregate);
      const found = Array.from(ids, (id, row) => [id, column && readingAt(column, row)] as const);
      expect(found.filter(([, reading]) => isSaid(reading, aggregate))).toEqual(
        said.sort(([a], [b]) => a - b),
      );
      expect([...ids]).toEqual([...new Set(ids)].sort((a, b) => a - b));
    });
    fc.assert(isSame, { numRuns: 200 });
  });
});

describe('the values without their ids', () => {
  const small = fc.option(smallReadingOf('sum'), { nil: null, freq: 4 });

  it('are those of the joined list, if the parts follow each other', () => {
    const isSame = fc.property(following(small), fc.boolean(), (all, isReversed) => {
      const parts = sparse(isReversed ? all.toReversed() : all);
      const joined = joinSparse(parts, 'sum').column?.values.low ?? [];
      expect([...appendColumns(plainColumns(parts) ?? [])]).toEqual([...joined]);
    });
    fc.assert(isSame, { numRuns: 300 });
  });

  it('are counted, and those that are large enough', () => {
    const isSame = fc.property(following(small), fc.nat(100), (all, least) => {
      const parts = sparse(all);
      const joined = [...(joinSparse(parts, 'sum').column?.values.low ?? [])];
      expect(tallyColumns(plainColumns(parts) ?? [], least)).toEqual({
        count: joined.length,
        reaching: joined.filter((value) => value >= least).length,
      });
    });
    fc.assert(isSame, { numRuns: 300 });
  });

  it('cannot be taken if parts overlap', () => {
    const reading = { sum: 7n, count: 1n };
    const rows = [1, 5].map((id) => ({ id, reading }));
    expect(plainColumns(sparse([rows, [{ id: 4, reading }]]))).toBeNull();
  });
});

describe('no readings', () => {
  it('are an empty list', () => {
    for (const parts of [[], [[]], [[{ id: 5, reading: null }]]]) {
      expect([...join(parts, 'max').ids]).toEqual([]);
    }
  });
});
