import { firstNotBelow } from '../../../domain/first-not-below.ts';
import { floorTo } from '../../../domain/time/interval.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { type Column, columnPart } from '../../../segments/codes/column.ts';
import type { SeriesEntries } from '../../../segments/heads/head-series.ts';
import { aggregateColumns } from '../../../segments/readings/aggregate-columns.ts';
import { joinColumns } from '../../../segments/readings/join-columns.ts';
import type { TileGrid } from '../../../segments/tiles/tile-seconds.ts';
import type { TileRows } from './tile-rows.ts';

/** A key's readings by topper bucket, counted from the segment's first. */
export type SegmentSeries = {
  readonly ids: Uint32Array;
  readonly columns: readonly [Column | null];
};

/** Returns the series of a key at an index of a segment's head series. Copies it. */
export function seriesAt(
  { ends, bucketIndexes }: SeriesEntries,
  column: Column | null,
  keyIndex: number,
): SegmentSeries {
  const from = keyIndex === 0 ? 0 : (ends[keyIndex - 1] as number);
  const to = ends[keyIndex] as number;
  const own = column && columnPart(column, from, to);
  // A view would keep the series of all keys in memory.
  return { ids: bucketIndexes.slice(from, to), columns: [own && copied(own)] };
}

const copied = ({ values, counts }: Column): Column => ({
  values: { low: values.low.slice(), high: values.high?.slice() ?? null },
  counts: counts && { low: counts.low.slice(), high: counts.high?.slice() ?? null },
});

/** The rows of a range of keys in a tile, and how its buckets are counted. */
export type TileOfKey = { readonly rows: TileRows; readonly grid: TileGrid };

/** The topper buckets of a segment. origin: the start of its first. */
export type TopperGrid = {
  readonly origin: number;
  readonly topperBucketSeconds: number;
  readonly aggregate: Aggregate;
};

/**
 * Combines the readings of a key by topper bucket. tiles: those of the range that has the key, in
 * time order; a topper bucket may straddle some.
 */
export function seriesOfRows(
  tiles: readonly TileOfKey[],
  ordinal: number,
  { origin, topperBucketSeconds, aggregate }: TopperGrid,
): SegmentSeries {
  const ids: number[] = [];
  const targets: number[] = [];
  const parts: (Column | null)[] = [];
  const lengths: number[] = [];
  for (const { rows, grid } of tiles) {
    const from = firstNotBelow(rows.ids, ordinal);
    let to = from;
    for (; rows.ids[to] === ordinal; to += 1) {
      const start = grid.origin + (rows.buckets[to] as number) * grid.bucketSeconds;
      const id = (floorTo(start, topperBucketSeconds) - origin) / topperBucketSeconds;
      if (id !== ids.at(-1)) ids.push(id);
      targets.push(ids.length - 1);
    }
    if (to === from) continue;
    parts.push(rows.column && columnPart(rows.column, from, to));
    lengths.push(to - from);
  }
  const column = joinColumns(parts, lengths);
  const source = column && { column, targets: Uint32Array.from(targets) };
  return {
    ids: Uint32Array.from(ids),
    columns: [source && aggregateColumns([source], aggregate, ids.length)],
  };
}

/** Returns the index of an ordinal among ascending ones; −1 if it is not among them. */
export function rowOf(ids: Uint32Array, ordinal: number): number {
  const row = firstNotBelow(ids, ordinal);
  return ids[row] === ordinal ? row : -1;
}
