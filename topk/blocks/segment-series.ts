import { readSeriesColumn, readSeriesEntries } from '../../segments/blocks/series.ts';
import { type Column, columnPart } from '../../segments/codes/column.ts';

/** Series of neighbouring keys of a segment as they are stored, and those of one meter. */
export type StoredChunk = {
  /** The ordinal that its first key has in the segment. */
  readonly firstOrdinal: number;
  readonly keyCount: number;
  /** How many topper buckets the segment spans. */
  readonly topperBuckets: number;
  readonly entries: Uint8Array;
  /** null: no reading of the meter. */
  readonly column: Uint8Array | null;
};

/** A key's readings by topper bucket, counted from the one in which the segment begins. */
export type SegmentSeries = {
  readonly ids: Uint32Array;
  readonly columns: readonly [Column | null];
};

/** The series of some of a chunk's keys, by their ordinals in the segment. Errors: DamagedSegment. */
export function readKeySeries(
  { firstOrdinal, keyCount, topperBuckets, entries, column }: StoredChunk,
  ordinals: readonly number[],
): Map<number, SegmentSeries> {
  const { ends, places } = readSeriesEntries(entries, { keyCount, topperBuckets });
  const values = column === null ? null : readSeriesColumn(column, places.length);
  return new Map(
    ordinals.map((ordinal) => {
      const key = ordinal - firstOrdinal;
      const from = key === 0 ? 0 : (ends[key - 1] as number);
      const to = ends[key] as number;
      // Copies: a part of the whole chunk would keep all of it in memory.
      const ids = places.slice(from, to);
      return [ordinal, { ids, columns: [values && copied(columnPart(values, from, to))] }];
    }),
  );
}

const copied = ({ values, counts }: Column): Column => ({
  values: { low: values.low.slice(), high: values.high?.slice() ?? null },
  counts: counts && { low: counts.low.slice(), high: counts.high?.slice() ?? null },
});
