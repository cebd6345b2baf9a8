import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fold } from '../../domain/meter-type.ts';
import type { BatchReading, ReadingBatch } from '../../ingest/reading-batch.ts';
import type { Whole } from '../../ingest/whole.ts';
import type { SortedReadings } from '../../packing/sorted-readings.ts';
import { DAY, emptyBatch, groupOf, sortedOf, type TextRow } from './batch-support.ts';

const MAX = 2n ** 63n - 1n;

const KEY = { text: 'a', parts: null };

/** Adds sets of values of one key and bucket, each with its count. */
function batchOf(folds: Fold[], ...sets: [values: (Whole | null)[], count: Whole][]): ReadingBatch {
  const group = groupOf(folds);
  const batch = emptyBatch();
  for (const [values, count] of sets) {
    batch.add({ group, probe: null, bucket: 60, key: KEY, values, count });
  }
  return batch;
}

/** The readings and counts of the rows that sets of values of one key and bucket become. */
async function rowsOf(
  folds: Fold[],
  ...sets: [values: (Whole | null)[], count: Whole][]
): Promise<[TextRow['readings'], TextRow['counts']][]> {
  const pairsOf = async (batch: ReadingBatch) =>
    (await sortedOf(batch)).rows.map(({ readings, counts }): [typeof readings, typeof counts] => [
      readings,
      counts,
    ]);
  const compacted = batchOf(folds, ...sets);
  compacted.compact();
  const pairs = await pairsOf(batchOf(folds, ...sets));
  // In memory they combine by the same rules.
  expect(compacted.rowCount).toBe(pairs.length);
  expect(await pairsOf(compacted)).toEqual(pairs);
  return pairs;
}

describe('readings of one key and bucket', () => {
  it.each<[Fold, Whole, Whole, Whole]>([
    ['sum', 3, 4, 7],
    ['rate', 3, 4, 7],
    ['sum', Number.MAX_SAFE_INTEGER, 1, 2n ** 53n],
    ['sum', 2n ** 60n, 2n ** 61n, 3n * 2n ** 60n],
    ['mean', 2n ** 60n, -(2n ** 60n) + 1n, 1],
    ['max', 3, 4, 4],
    ['max', 4, 3, 4],
    ['max', -4, -3, -3],
    ['max', 2n ** 60n, 5, 2n ** 60n],
    ['max', 2n ** 60n, 2n ** 60n + 1n, 2n ** 60n + 1n],
    ['min', 3, 4, 3],
    ['min', 4, 3, 3],
    ['min', 5, -(2n ** 60n), -(2n ** 60n)],
  ])('combine as %s: %s and %s make %s', async (fold, a, b, expected) => {
    const counts = fold === 'mean' ? [2] : [null];
    expect(await rowsOf([fold], [[a], 1], [[b], 1])).toEqual([[[expected], counts]]);
  });

  it('combine as means by sums and counts', async () => {
    expect(await rowsOf(['mean'], [[10], 1], [[-4], 3])).toEqual([[[6], [4]]]);
  });

  it('leave alone the meters that one of them has not read', async () => {
    const rows = await rowsOf(['sum', 'mean'], [[1, null], 5], [[null, 7], 2], [[2, 8], 1]);
    expect(rows).toEqual([
      [
        [3, 15],
        [null, 3],
      ],
    ]);
  });

  it('count 1 where a mean was not read', async () => {
    expect(await rowsOf(['sum', 'mean'], [[1, null], 5])).toEqual([
      [
        [1, null],
        [null, 1],
      ],
    ]);
  });

  it('stay apart where the sum is no reading any more', async () => {
    expect(await rowsOf(['sum'], [[MAX], 1], [[0], 1])).toEqual([[[MAX], [null]]]);
    expect(await rowsOf(['sum'], [[MAX], 1], [[1], 1])).toEqual([
      [[MAX], [null]],
      [[1], [null]],
    ]);
    expect(await rowsOf(['mean'], [[-MAX], 1], [[-1], 2])).toEqual([
      [[-MAX], [1]],
      [[-1], [2]],
    ]);
  });

  it('stay apart where the count is no reading any more', async () => {
    expect(await rowsOf(['mean'], [[1], MAX], [[2], 1])).toEqual([
      [[1], [MAX]],
      [[2], [1]],
    ]);
  });

  it('do not stay apart for a count that stands for nothing', async () => {
    expect(await rowsOf(['sum', 'mean'], [[1, 1], MAX], [[2, null], MAX])).toEqual([
      [
        [3, 1],
        [null, MAX],
      ],
    ]);
  });

  it('stay apart as a whole, and go on where they fit', async () => {
    const rows = await rowsOf(['sum', 'sum'], [[MAX, 1], 1], [[5, 2], 1], [[6, 3], 1]);
    expect(rows).toEqual([
      [
        [MAX, 1],
        [null, null],
      ],
      [
        [11, 5],
        [null, null],
      ],
    ]);
  });

  it('never overflow as extremes', async () => {
    expect(await rowsOf(['max', 'min'], [[MAX, -MAX], 1], [[MAX, -MAX], 1])).toEqual([
      [
        [MAX, -MAX],
        [null, null],
      ],
    ]);
  });
});

describe('a batch', () => {
  it('has a row for each key, bucket and probe, by slice, group and probe', async () => {
    const batch = emptyBatch();
    for (const group of [groupOf(['sum'], 2), groupOf(['sum'], 1)]) {
      for (const text of ['a', 'b']) {
        for (const bucket of [DAY, 0, 60]) {
          for (const probe of [null, 'p', 'p']) {
            batch.add({ group, probe, bucket, key: { text, parts: null }, values: [1], count: 1 });
          }
        }
      }
    }
    expect(batch.rowCount).toBe(36);
    const { sorted } = await sortedOf(batch);
    expect(
      sorted.map(({ sliceId, group, probeId, rowCount }) => [
        sliceId,
        group.groupId,
        probeId,
        rowCount,
      ]),
    ).toEqual([
      [0, 1, 0, 4],
      [0, 1, 1, 4],
      [0, 2, 0, 4],
      [0, 2, 1, 4],
      [1, 1, 0, 2],
      [1, 1, 1, 2],
      [1, 2, 0, 2],
      [1, 2, 1, 2],
    ]);
    batch.compact();
    expect([batch.rowCount, batch.addedCount]).toEqual([24, 36]);
  });

  it('does not take over what it is given', async () => {
    const values = [1];
    const batch = batchOf(['sum'], [values, 1], [[5], 1]);
    batch.compact();
    expect(values).toEqual([1]);
  });

  it('keeps what was sorted apart from what is added later', async () => {
    const batch = batchOf(['sum'], [[1], 1]);
    const { sorted } = await sortedOf(batch);
    batch.add({ group: groupOf(['sum']), probe: null, bucket: 0, key: KEY, values: [7], count: 1 });
    batch.compact();
    expect([sorted[0]?.rowCount, sorted[0]?.readings[0]?.numbers[0]]).toEqual([1, 1]);
  });

  it('keeps the last texts of a key, each for itself', () => {
    const batch = emptyBatch();
    const group = groupOf(['sum']);
    const nothing = { label: undefined, description: undefined, attributes: undefined };
    batch.addTexts({ group, key: KEY, texts: { ...nothing, label: 'one', description: 'd' } });
    batch.addTexts({ group, key: KEY, texts: { ...nothing, label: null, attributes: { a: '1' } } });
    batch.addTexts({ group, key: KEY, texts: nothing });
    expect(batch.texts().map(({ texts }) => texts)).toEqual([
      { label: null, description: 'd', attributes: { a: '1' } },
    ]);
  });

  it('knows about how many bytes of texts it has brought, but not what was there before', () => {
    const batch = emptyBatch();
    expect(batch.textBytes()).toBe(0);
    const add = (text: string) =>
      batch.add({
        ...{ group: groupOf(['sum']), probe: null, bucket: 0, values: [1], count: 1 },
        key: { text, parts: null },
      });
    add('x'.repeat(1000));
    const once = batch.textBytes();
    expect(once).toBeGreaterThan(2000);
    add('x'.repeat(1000));
    expect(batch.textBytes()).toBe(once);
  });
});

const FOLDS = ['sum', 'mean', 'max', 'min'] as const;

const whole = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -5, max: 5 }) },
  { weight: 1, arbitrary: fc.maxSafeInteger() },
  {
    weight: 2,
    arbitrary: fc
      .bigInt({ min: -MAX, max: MAX })
      .filter((value) => value > 2n ** 53n || value < -(2n ** 53n)),
  },
);

const reading = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  bucket: fc.constantFrom(0, 60, DAY - 60, DAY, 50 * DAY),
  probe: fc.constantFrom(null, 'p'),
  values: fc.tuple(...FOLDS.map(() => fc.option(whole, { nil: null }))),
  count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(MAX)),
  /** Whether the batch is compacted before. */
  compacts: fc.boolean(),
});

type Reading = typeof reading extends fc.Arbitrary<infer T> ? T : never;

/** The rule of a meter for any number of readings: decision 23, without bounds. */
function foldAll(fold: Fold, values: readonly Whole[]): bigint {
  const all = values.map(BigInt);
  return all.reduce((a, b) => {
    if (fold === 'max') return b > a ? b : a;
    if (fold === 'min') return b < a ? b : a;
    return a + b;
  });
}

/** By place and slot: the folded readings, and how many there are behind them. */
function folded(
  rows: readonly { place: string; values: readonly (Whole | null)[]; counts: readonly Whole[] }[],
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const place of new Set(rows.map((row) => row.place))) {
    for (const [i, fold] of FOLDS.entries()) {
      const there = rows.filter((row) => row.place === place && row.values[i] !== null);
      if (there.length === 0) continue;
      const value = foldAll(
        fold,
        there.map(({ values }) => values[i] ?? 0),
      );
      const count = foldAll(
        'sum',
        there.map(({ counts }) => counts[i] ?? 1),
      );
      result[`${place} ${i}`] = fold === 'mean' ? `${value} of ${count}` : `${value}`;
    }
  }
  return result;
}

const placeOf = (key: string, bucket: number, probeId: number) => `${key} ${bucket} ${probeId}`;

async function batchRows(readings: readonly Reading[]) {
  const group = groupOf(FOLDS);
  const batch = emptyBatch();
  for (const { key, compacts, ...rest } of readings) {
    if (compacts) batch.compact();
    const added: BatchReading = { ...rest, group, key: { text: key, parts: null } };
    batch.add(added);
  }
  return sortedOf(batch);
}

describe('any readings', () => {
  it('have in the end the values that they had, whenever they were combined', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reading, { maxLength: 60 }), async (readings) => {
        const { rows } = await batchRows(readings);
        const expected = folded(
          readings.map(({ key, bucket, probe, values, count }) => ({
            ...{ place: placeOf(key, bucket, probe?.length ?? 0), values },
            counts: FOLDS.map(() => count),
          })),
        );
        const actual = folded(
          rows.map(({ key, bucket, probeId, readings: values, counts }) => ({
            ...{ place: placeOf(key, bucket, probeId), values },
            counts: counts.map((count) => count ?? 1),
          })),
        );
        expect(actual).toEqual(expected);
      }),
    );
  });

  it('are sorted by bucket, shard and key id, slice by slice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reading, { maxLength: 60 }), async (readings) => {
        for (const sorted of (await batchRows(readings)).sorted) expectOrder(sorted);
      }),
    );
  });

  it('have several rows of one key and bucket only where one is too small', async () => {
    const amount = (value: Whole | null) => (value !== null && value < 0 ? -value : value);
    await fc.assert(
      fc.asyncProperty(fc.array(reading, { maxLength: 60 }), async (readings) => {
        const amounts = readings.map((each) => ({ ...each, values: each.values.map(amount) }));
        const { rows } = await batchRows(amounts as Reading[]);
        for (const [i, row] of rows.entries()) {
          const next = rows[i + 1];
          if (!next || placeOfRow(next) !== placeOfRow(row)) continue;
          expect(FOLDS.some((_, slot) => isTooMuch(row, next, slot))).toBe(true);
        }
      }),
    );
  });
});

const placeOfRow = ({ key, bucket, probeId }: TextRow) => placeOf(key, bucket, probeId);

/** Whether two rows have more in a slot than one can hold. */
function isTooMuch(a: TextRow, b: TextRow, slot: number): boolean {
  const fold = FOLDS[slot];
  const values = [a.readings[slot] ?? null, b.readings[slot] ?? null];
  if ((fold !== 'sum' && fold !== 'mean') || values.includes(null)) return false;
  const sum = (pair: (Whole | null)[]) =>
    foldAll(
      'sum',
      pair.map((value) => value ?? 0),
    );
  return sum(values) > MAX || sum([a.counts[slot] ?? 0, b.counts[slot] ?? 0]) > MAX;
}

function expectOrder({ sliceId, rowCount, buckets, shards, keyIds }: SortedReadings): void {
  const places = Array.from({ length: rowCount }, (_, row) => [
    buckets[row] ?? -1,
    shards[row] ?? -1,
    keyIds[row] ?? -1,
  ]);
  const compare = (a: number[], b: number[]) =>
    a.map((value, i) => value - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
  expect(places).toEqual(places.toSorted(compare));
  expect(places.every(([bucket = -1]) => Math.floor(bucket / DAY) === sliceId)).toBe(true);
}
