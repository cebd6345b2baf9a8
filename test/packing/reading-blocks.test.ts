import { describe, expect, it } from 'vitest';
import { bucketBlocks } from '../../packing/reading-blocks.ts';
import type { PackGroup, ReadingColumn } from '../../packing/sorted-readings.ts';
import { laneValue } from '../../segments/codes/lanes.ts';

const FOLDS = ['min'] as const;

const GROUP: PackGroup = { groupId: 1, bucketSeconds: 60, topperBucketSeconds: 60, folds: FOLDS };

/** Readings of the keys 0, 1, … in one bucket, as blocks; each as a text. */
function packed(column: ReadingColumn): (string | undefined)[] {
  const rowCount = column.numbers.length;
  const readings = {
    ...{ group: GROUP, probeId: 0, sliceId: 1, rowCount, readings: [column], counts: [null] },
    buckets: new Float64Array(rowCount).fill(60),
    shards: new Uint8Array(rowCount),
    keyIds: Uint32Array.from({ length: rowCount }, (_, row) => row),
  };
  const block = bucketBlocks([readings], FOLDS).get(0)?.get(60);
  const lanes = block?.columns[0]?.values;
  return Array.from({ length: rowCount }, (_, row) => lanes && String(laneValue(lanes, row)));
}

const HUGE = 5_919_655_442_138_514_538n;

describe('readings as blocks', () => {
  it('keep small and large numbers of a column exactly', () => {
    const numbers = Float64Array.of(13, Number.POSITIVE_INFINITY, -(2 ** 52));
    expect(packed({ numbers, large: new Map([[1, HUGE]]) })).toEqual([
      '13',
      String(HUGE),
      String(-(2 ** 52)),
    ]);
  });

  it('forget a large number that a smaller one has replaced', () => {
    const numbers = Float64Array.of(13, Number.NEGATIVE_INFINITY);
    const large = new Map([
      [0, HUGE],
      [1, -HUGE],
    ]);
    expect(packed({ numbers, large })).toEqual(['13', String(-HUGE)]);
  });

  it('are refused when a large number is missing', () => {
    const numbers = Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    expect(() => packed({ numbers, large: new Map([[1, HUGE]]) })).toThrow(
      'Row 0 of a column has no large number',
    );
  });
});
