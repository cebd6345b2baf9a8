import { topperBuckets } from '../blocks/series.ts';
import type { LocatedChunk } from '../pages/directory.ts';
import { type ChunkSeries, type RangeSource, readChunk } from '../pages/read-range.ts';
import { coarserReadings, type Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import { hasSeries } from '../span.ts';
import { compareColumns } from './same-readings.ts';

/** A chunk of series whose keys are being read in time order. */
type OpenChunk = ChunkSeries & {
  readonly firstOrdinal: number;
  /** By key: the next expected entry. */
  readonly next: Uint32Array;
  /** By slot − 1: checks whether a row of the blocks has the same reading as an entry. */
  readonly isSame: readonly ((row: number, entry: number) => boolean)[];
};

/**
 * Whether a range's series have the same readings as its blocks. Reads the blocks in time order and
 * each key's series alongside, so neither has to be transposed.
 */
export function isSeriesOf(source: RangeSource, readings: Readings, shape: SegmentShape): boolean {
  const { directory, range } = source;
  if (!hasSeries(shape, directory.span)) return range.series.length === 0;
  const { topperBucketSeconds } = shape;
  const byTime = coarserReadings(readings, topperBucketSeconds, shape.folds);
  const chunks = openChunks(source, range.series, { shape, byTime });
  const chunkOf = new Uint32Array(readings.keyCount);
  for (const [i, { firstOrdinal, ends }] of chunks.entries()) {
    chunkOf.fill(i, firstOrdinal, firstOrdinal + ends.length);
  }
  const keys = range.series.reduce((sum, { keyCount }) => sum + keyCount, 0);
  if (keys !== readings.keyCount) return false;
  const { origin } = topperBuckets(directory.span, topperBucketSeconds);
  let row = 0;
  for (let bucket = 0; bucket < byTime.starts.length; bucket += 1) {
    const bucketIndex = ((byTime.starts[bucket] as number) - origin) / topperBucketSeconds;
    for (; row < (byTime.ends[bucket] as number); row += 1) {
      const chunk = chunks[chunkOf[byTime.ordinals[row] as number] as number] as OpenChunk;
      const key = (byTime.ordinals[row] as number) - chunk.firstOrdinal;
      if (!takeEntry(chunk, key, bucketIndex)) return false;
      const entry = (chunk.next[key] as number) - 1;
      if (!chunk.isSame.every((isSame) => isSame(row, entry))) return false;
    }
  }
  return chunks.every(({ next, ends }) => next.every((entry, key) => entry === ends[key]));
}

function openChunks(
  source: RangeSource,
  located: readonly LocatedChunk[],
  { shape, byTime }: { readonly shape: SegmentShape; readonly byTime: Readings },
): OpenChunk[] {
  const meterIndexes = shape.folds.map((_, meterIndex) => meterIndex);
  let firstOrdinal = 0;
  return located.map((chunk) => {
    const {
      ends,
      bucketIndexes: entries,
      columns,
    } = readChunk(source, chunk, { shape, meterIndexes });
    const next = new Uint32Array(ends.length);
    next.set(ends.subarray(0, -1), 1);
    const isSame = byTime.columns.map((column, meterIndex) =>
      compareColumns(column, columns[meterIndex] ?? null),
    );
    const open = { ends, bucketIndexes: entries, columns, next, isSame, firstOrdinal };
    firstOrdinal += ends.length;
    return open;
  });
}

/**
 * Advances a key to its next entry. Returns false if there is none or it is of another topper
 * bucket.
 */
function takeEntry(
  { next, ends, bucketIndexes }: OpenChunk,
  key: number,
  bucketIndex: number,
): boolean {
  const entry = next[key] as number;
  if (entry >= (ends[key] as number) || bucketIndexes[entry] !== bucketIndex) return false;
  next[key] = entry + 1;
  return true;
}
