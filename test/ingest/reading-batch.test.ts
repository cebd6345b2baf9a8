import { describe, expect, it } from 'vitest';
import type { Guid } from '../../domain/guid.ts';
import type { Fold } from '../../domain/meter-type.ts';
import type { ImportGroup } from '../../ingest/import-group.ts';
import { createReadingBatch, type ReadingBatch } from '../../ingest/reading-batch.ts';
import type { Whole } from '../../ingest/whole.ts';

const MAX = 2n ** 63n - 1n;

const groupOf = (...folds: Fold[]): ImportGroup => ({
  groupId: 1,
  guid: '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}' as Guid,
  keyKind: 'text',
  bucketSeconds: 60,
  shardCount: 8,
  meters: new Map(),
  folds,
  hasMeans: folds.includes('mean'),
  partGuids: [],
  partKinds: [],
});

/** Adds sets of values of one key and bucket, each with its count. */
function batchOf(folds: Fold[], ...sets: [values: (Whole | null)[], count: Whole][]): ReadingBatch {
  const group = groupOf(...folds);
  const batch = createReadingBatch();
  for (const [values, count] of sets) {
    batch.add({ group, probe: null, bucket: 60, key: { text: 'a', parts: null }, values, count });
  }
  return batch;
}

/** The readings and counts of a batch's rows, and those of what did not fit. */
function rowsOf(batch: ReadingBatch | null): unknown[] {
  if (batch === null) return [];
  const rows = batch.cells().flatMap(({ rows: ofCell }) => [...ofCell.values()]);
  return [...rows.map(({ readings, counts }) => [readings, counts]), ...rowsOf(batch.rest())];
}

describe('readings of one key and bucket', () => {
  it.each<[Fold, Whole, Whole, Whole]>([
    ['sum', 3, 4, 7],
    ['rate', 3, 4, 7],
    ['sum', Number.MAX_SAFE_INTEGER, 1, 2n ** 53n],
    ['max', 3, 4, 4],
    ['max', 4, 3, 4],
    ['max', -4, -3, -3],
    ['max', 2n ** 60n, 5, 2n ** 60n],
    ['min', 3, 4, 3],
    ['min', 4, 3, 3],
    ['min', 5, -(2n ** 60n), -(2n ** 60n)],
  ])('combine as %s: %s and %s make %s', (fold, a, b, expected) => {
    expect(rowsOf(batchOf([fold], [[a], 1], [[b], 1]))).toEqual([[[expected], null]]);
  });

  it('combine as means by sums and counts', () => {
    expect(rowsOf(batchOf(['mean'], [[10], 1], [[-4], 3]))).toEqual([[[6], [4]]]);
  });

  it('leave alone the meters that one of them has not read', () => {
    const batch = batchOf(['sum', 'mean'], [[1, null], 5], [[null, 7], 2], [[2, 8], 1]);
    expect(rowsOf(batch)).toEqual([
      [
        [3, 15],
        [null, 3],
      ],
    ]);
  });

  it('stay apart where the sum is no reading any more', () => {
    expect(rowsOf(batchOf(['sum'], [[MAX], 1], [[0], 1]))).toEqual([[[MAX], null]]);
    expect(rowsOf(batchOf(['sum'], [[MAX], 1], [[1], 1]))).toEqual([
      [[MAX], null],
      [[1], null],
    ]);
    expect(rowsOf(batchOf(['mean'], [[-MAX], 1], [[-1], 2]))).toEqual([
      [[-MAX], [1]],
      [[-1], [2]],
    ]);
  });

  it('stay apart where the count is no reading any more', () => {
    expect(rowsOf(batchOf(['mean'], [[1], MAX], [[2], 1]))).toEqual([
      [[1], [MAX]],
      [[2], [1]],
    ]);
  });

  it('stay apart meter by meter, and further ones go where they fit', () => {
    const batch = batchOf(
      ['sum', 'sum'],
      [[MAX, 1], 1],
      [[5, 2], 1],
      [[MAX, 3], 1],
      [[MAX, null], 1],
    );
    expect(rowsOf(batch)).toEqual([
      [[MAX, 6], null],
      [[5, null], null],
      [[MAX, null], null],
      [[MAX, null], null],
    ]);
  });

  it('never overflow as extremes', () => {
    expect(rowsOf(batchOf(['max', 'min'], [[MAX, -MAX], 1], [[MAX, -MAX], 1]))).toEqual([
      [[MAX, -MAX], null],
    ]);
  });
});

describe('a batch', () => {
  it('has a row for each key, bucket and probe', () => {
    const batch = createReadingBatch();
    const group = groupOf('sum');
    for (const text of ['a', 'b']) {
      for (const bucket of [0, 60]) {
        for (const probe of [null, 'p', 'p']) {
          batch.add({ group, probe, bucket, key: { text, parts: null }, values: [1], count: 1 });
        }
      }
    }
    expect(batch.rowCount()).toBe(8);
    expect(batch.cells()).toHaveLength(4);
  });

  it('does not take over what it is given', () => {
    const values = [1];
    const batch = batchOf(['sum'], [values, 1], [[5], 1]);
    expect([rowsOf(batch), values]).toEqual([[[[6], null]], [1]]);
  });

  it('keeps the last texts of a key, each for itself', () => {
    const batch = createReadingBatch();
    const group = groupOf('sum');
    const key = { text: 'a', parts: null };
    const nothing = { label: undefined, description: undefined, attributes: undefined };
    batch.addTexts({ group, key, texts: { ...nothing, label: 'one', description: 'd' } });
    batch.addTexts({ group, key, texts: { ...nothing, label: null, attributes: { a: '1' } } });
    batch.addTexts({ group, key, texts: nothing });
    expect(batch.texts().map(({ texts }) => texts)).toEqual([
      { label: null, description: 'd', attributes: { a: '1' } },
    ]);
  });
});
