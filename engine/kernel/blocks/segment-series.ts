import { readSeriesColumn, readSeriesEntries } from '../../../segments/blocks/series.ts';
import { type Column, columnPart } from '../../../segments/codes/column.ts';

/** The series of adjacent keys of a segment, as stored, and the column of one meter. */
type StoredChunk = {
  /** The ordinal of its first key in the segment. */
  readonly firstOrdinal: number;
  readonly keyCount: number;
  /** Number of topper buckets that the segment spans. */
  readonly topperBuckets: number;
  readonly entries: Uint8Array;
  /** null: no reading of the meter. */
  readonly column: Uint8Array | null;
};

/** A key's readings by topper bucket, counted from the segment's first. */
export type SegmentSeries = {
  readonly ids: Uint32Array;
  readonly columns: readonly [Column | null];
};

/** Returns the series of some keys of a chunk, by segment ordinal. Errors: DamagedSegment. */
export function readKeySeries(
  { firstOrdinal, keyCount, topperBuckets, entries, column }: StoredChunk,
  ordinals: readonly number[],
): Map<number, SegmentSeries> {
  const { ends, bucketIndexes } = readSeriesEntries(entries, { keyCount, topperBuckets });
  const values = column === null ? null : readSeriesColumn(column, bucketIndexes.length);
  return new Map(
    ordinals.map((ordinal) => {
      const key = ordinal - firstOrdinal;
      const from = key === 0 ? 0 : (ends[key - 1] as number);
      const to = ends[key] as number;
      // Copied, because a view would keep the whole chunk in memory.
      const ids = bucketIndexes.slice(from, to);
      return [ordinal, { ids, columns: [values && copied(columnPart(values, from, to))] }];
    }),
  );
}

const copied = ({ values, counts }: Column): Column => ({
  values: { low: values.low.slice(), high: values.high?.slice() ?? null },
  counts: counts && { low: counts.low.slice(), high: counts.high?.slice() ?? null },
});
