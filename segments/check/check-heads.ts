import { readHead, type StoredHead } from '../heads/head.ts';
import {
  type HeadSeries,
  readHeadSeriesColumn,
  readHeadSeriesEntries,
  readHeadSeriesKeys,
  topperBuckets,
} from '../heads/head-series.ts';
import type { SegmentHeads } from '../heads/segment-heads.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { compareKeys, type KeyList } from '../keys/key-list.ts';
import type { Directory, LocatedHeadSeries } from '../pages/directory.ts';
import type { SectionLocation, Sections } from '../pages/sections.ts';
import type { SegmentShape } from '../shape.ts';
import { isSameColumn } from './same-readings.ts';

/** The stored heads of a segment, and those that its tiles have. */
type HeadsToCheck = {
  readonly directory: Directory;
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  /** Of the pages that have the heads. */
  readonly sections: Sections;
  readonly found: ReturnType<SegmentHeads['finish']>;
};

/** Yields in words what is wrong with the heads of a segment. Errors: DamagedSegment. */
export function* checkHeads(check: HeadsToCheck): Generator<string> {
  const { heads, headSeries } = check.directory;
  const { found } = check;
  if ((heads === null) !== (found === null)) {
    yield `its heads are ${found ? 'missing' : 'there, although it has few keys'}`;
    return;
  }
  if (!heads || !found) return;
  if (!areHeads(check, heads.span, found.span)) {
    yield 'the heads of the span do not have the largest keys';
  }
  const isSameTimes =
    heads.tiles.length === found.tiles.length &&
    heads.tiles.every(({ start }, i) => start === found.tiles[i]?.start);
  if (!isSameTimes) yield 'the heads are of other tiles than those with many keys';
  else if (
    !heads.tiles.every((tile, i) => areHeads(check, tile.heads, found.tiles[i]?.heads ?? []))
  ) {
    yield 'the heads of a tile do not have the largest keys';
  }
  if (!isSeries(check, headSeries, found.series)) {
    yield 'the head series are not what the tiles have of the largest keys';
  }
}

const areHeads = (
  { sections, codec }: HeadsToCheck,
  stored: readonly (SectionLocation | null)[],
  found: readonly (StoredHead | null)[],
): boolean =>
  stored.every((location, meterIndex) =>
    areSame(location && readHead(sections(location), codec), found[meterIndex] ?? null),
  );

function areSame(a: StoredHead | null, b: StoredHead | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.keyCount === b.keyCount &&
    a.total === b.total &&
    areSameKeys(a.keys, b.keys) &&
    a.ordinals.every((ordinal, i) => ordinal === b.ordinals[i]) &&
    isSameColumn(
      { values: a.values, counts: null },
      { values: b.values, counts: null },
      a.keys.count,
    )
  );
}

export function areSameKeys(a: KeyList, b: KeyList): boolean {
  if (a.count !== b.count) return false;
  for (let i = 0; i < a.count; i += 1) if (compareKeys(a, i, b, i) !== 0) return false;
  return true;
}

function isSeries(
  { directory, shape, codec, sections }: HeadsToCheck,
  stored: LocatedHeadSeries | null,
  found: HeadSeries | null,
): boolean {
  if (stored === null || found === null) return stored === found;
  if (stored.keys === null || stored.entries === null) return false;
  const keys = readHeadSeriesKeys(sections(stored.keys), codec);
  const { count } = topperBuckets(directory.span, shape.topperBucketSeconds);
  const size = { keyCount: keys.count, topperBuckets: count };
  const { ends, bucketIndexes } = readHeadSeriesEntries(sections(stored.entries), size);
  const { series } = found;
  if (!areSameKeys(keys, found.keys)) return false;
  if (!areEqual(ends, series.ends) || !areEqual(bucketIndexes, series.bucketIndexes)) return false;
  return stored.columns.every((location, meterIndex) =>
    isSameColumn(
      location && readHeadSeriesColumn(sections(location), bucketIndexes.length),
      series.columns[meterIndex] ?? null,
      bucketIndexes.length,
    ),
  );
}

const areEqual = (a: Uint32Array, b: Uint32Array): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);
