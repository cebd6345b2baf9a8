import { ByteReader } from '../codes/bytes.ts';
import { type Column, pickRows } from '../codes/column.ts';
import { readColumn } from '../codes/column-code.ts';
import { readFrames, requireFrames } from '../codes/frames.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { topperBuckets } from '../heads/head-series.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import type { KeyList } from '../keys/key-list.ts';
import { KeyListBuilder } from '../keys/key-list-builder.ts';
import { readKeySection, SECTION_KEYS } from '../keys/key-section.ts';
import { commonLength } from '../keys/key-shape.ts';
import { joinColumns } from '../readings/join-columns.ts';
import type { KeyRange } from '../readings/key-range.ts';
import type { Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import { readWhole } from '../tiles/read-whole.ts';
import { readTileKeys, readTileTotals, readTileValues } from '../tiles/tile.ts';
import type { TileReadings } from '../tiles/tile-readings.ts';
import { tileGrid } from '../tiles/tile-seconds.ts';
import { readTileTimes } from '../tiles/tile-times.ts';
import type { Directory, LocatedRange, LocatedTile } from './directory.ts';
import type { SectionLocation, Sections } from './sections.ts';

/** Reads the keys of a range. Errors: DamagedSegment. */
export function readKeys(range: LocatedRange, codec: KeyCodec, sections: Sections): KeyList {
  const { keyCount } = range;
  if (keyCount > range.keys.length * SECTION_KEYS) throw wrongSections(range);
  const bytes = keyCount * (commonLength(codec.shapes ?? []) ?? 0);
  const keys = new KeyListBuilder({ keys: keyCount, bytes });
  addKeysOfRange(range, { codec, sections, into: keys });
  return keys.finish();
}

/**
 * Appends the keys of a range to those of the ranges before it. Errors: DamagedSegment; `into` is
 * then unusable.
 */
export function addKeysOfRange(range: LocatedRange, target: SectionTarget): void {
  const before = target.into.count;
  for (const section of range.keys.keys()) readSection({ range, section }, target);
  if (target.into.count - before !== range.keyCount) throw wrongSections(range);
}

/** One section of the keys of a range, counted from 0. */
export type KeySection = { readonly range: LocatedRange; readonly section: number };

/** Reads the keys of one section. Errors: DamagedSegment. */
export function readKeysOfSection(
  location: KeySection,
  codec: KeyCodec,
  sections: Sections,
): KeyList {
  const keys = new KeyListBuilder({ keys: 0, bytes: 0 });
  readSection(location, { codec, sections, into: keys });
  return keys.finish();
}

type SectionTarget = {
  readonly codec: KeyCodec;
  readonly sections: Sections;
  readonly into: KeyListBuilder;
};

function readSection(
  { range, section }: KeySection,
  { codec, sections, into }: SectionTarget,
): void {
  const count = Math.min(SECTION_KEYS, range.keyCount - section * SECTION_KEYS);
  if (count <= 0) throw wrongSections(range);
  const reader = new ByteReader(sections(required(range.keys[section] ?? null)));
  readKeySection(reader, codec, count, into);
  if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
}

const wrongSections = ({ keyCount, keys }: LocatedRange) =>
  new DamagedSegment(`${keyCount} keys are in ${keys.length} sections`);

/** The directory and sections that a range is read from. */
export type RangeSource = {
  readonly directory: Directory;
  readonly range: LocatedRange;
  readonly sections: Sections;
};

/** The sections of a range's sums over the whole segment: by meter; `keys` null: of all keys. */
type SpanSections = {
  readonly keys: SectionLocation | null;
  readonly totals: readonly (SectionLocation | null)[];
};

/**
 * Returns where the combined readings of each key over the whole segment are: in a section of their
 * own or, if the segment lies in one tile, in that tile. Errors: DamagedSegment.
 */
export function spanOf({ span, tiles }: LocatedRange): SpanSections {
  if (span) return { keys: null, totals: span };
  const [tile, ...others] = tiles;
  if (!tile || others.length > 0) throw new DamagedSegment('a range has no sums of its keys');
  return { keys: tile.keys, totals: tile.totals };
}

/** Reads the combined readings of each key over the whole segment. Errors: DamagedSegment. */
export function readSpan({ range, sections }: Omit<RangeSource, 'directory'>): (Column | null)[] {
  return spanOf(range).totals.map(
    (location) => location && readTileTotals(sections(location), range.keyCount),
  );
}

/** Reads a tile of a range, all meters. Errors: DamagedSegment. */
export function readTile(
  { range, sections }: Omit<RangeSource, 'directory'>,
  { start, keys, times, totals, values }: LocatedTile,
): TileReadings {
  const ordinals = readTileKeys(sections(required(keys)), range.keyCount);
  const { ends, buckets } = readTileTimes(sections(required(times)), ordinals.length);
  const columns = totals.map((location, meterIndex) => {
    if (location === null) return null;
    const own = values[meterIndex] ?? null;
    const column = readTileTotals(sections(location), ordinals.length);
    return readTileValues(own && sections(own), column, { ends, buckets });
  });
  return { start, ordinals, ends, buckets, columns };
}

/** Reads all of a range as it was written, for merging and checking. Errors: DamagedSegment. */
export function readRange(
  source: RangeSource,
  codec: KeyCodec,
  { bucketSeconds }: Pick<SegmentShape, 'bucketSeconds'>,
): KeyRange {
  const { range, sections } = source;
  const tiles = range.tiles.map((tile) => readTile(source, tile));
  const readings = joinTiles(tiles, { range, bucketSeconds });
  return { keys: readKeys(range, codec, sections), readings };
}

type TilesOfRange = { readonly range: LocatedRange; readonly bucketSeconds: number };

/** Joins the tiles of a range, in time order. Errors: DamagedSegment. */
export function joinTiles(
  tiles: readonly TileReadings[],
  { range: { keyCount, rowCount }, bucketSeconds }: TilesOfRange,
): Readings {
  const lengths = tiles.map(({ buckets }) => buckets.length);
  const rows = lengths.reduce((sum, length) => sum + length, 0);
  if (rows !== rowCount) throw new DamagedSegment(`a range has ${rows} of ${rowCount} rows`);
  const ends = endsOf(tiles, keyCount);
  const next = new Uint32Array(keyCount);
  next.set(ends.subarray(0, keyCount - 1), 1);
  const starts = new Float64Array(rows);
  /** By row of the result: its row in the tiles one after the other. */
  const order = new Uint32Array(rows);
  let first = 0;
  for (const tile of tiles) {
    const { origin } = tileGrid(tile.start, bucketSeconds);
    let row = 0;
    for (let i = 0; i < tile.ordinals.length; i += 1) {
      const key = tile.ordinals[i] as number;
      let to = next[key] as number;
      for (; row < (tile.ends[i] as number); row += 1) {
        starts[to] = origin + (tile.buckets[row] as number) * bucketSeconds;
        order[to] = first + row;
        to += 1;
      }
      next[key] = to;
    }
    first += tile.buckets.length;
  }
  const slots = tiles[0]?.columns.length ?? 0;
  const columns = Array.from({ length: slots }, (_, meterIndex) => {
    const parts = tiles.map((tile) => tile.columns[meterIndex] ?? null);
    const joined = joinColumns(parts, lengths);
    return joined && pickRows(joined, order);
  });
  return { keyCount, ends, starts, columns };
}

function endsOf(tiles: readonly TileReadings[], keyCount: number): Uint32Array {
  const ends = new Uint32Array(keyCount);
  for (const tile of tiles) {
    let from = 0;
    for (let i = 0; i < tile.ordinals.length; i += 1) {
      const key = tile.ordinals[i] as number;
      const to = tile.ends[i] as number;
      ends[key] = (ends[key] as number) + to - from;
      from = to;
    }
  }
  let end = 0;
  for (let key = 0; key < keyCount; key += 1) {
    end += ends[key] as number;
    ends[key] = end;
  }
  return ends;
}

/** Reads all keys of a segment combined by topper bucket, as one key. Errors: DamagedSegment. */
export function readTotals({ totals, span }: Directory, shape: SegmentShape): Readings {
  const [times, ...columns] = totals;
  const { topperBucketSeconds } = shape;
  const { origin, count: most } = topperBuckets(span, topperBucketSeconds);
  const starts = readWhole(times ?? new Uint8Array(0), (reader) => {
    const count = reader.varint();
    if (count > most) throw new DamagedSegment(`${count} totals are of ${most} topper buckets`);
    requireFrames(reader, count);
    const steps = new Float64Array(count);
    readFrames(reader, count, steps);
    let before = origin - topperBucketSeconds;
    for (let i = 0; i < count; i += 1) {
      before += ((steps[i] as number) + 1) * topperBucketSeconds;
      steps[i] = before;
    }
    return steps;
  });
  return {
    keyCount: 1,
    ends: Uint32Array.of(starts.length),
    starts,
    columns: columns.map((section) =>
      section.length === 0
        ? null
        : readWhole(section, (reader) => readColumn(reader, starts.length)),
    ),
  };
}

function required(location: SectionLocation | null): SectionLocation {
  if (location === null) throw new DamagedSegment('the directory leaves out a section');
  return location;
}
