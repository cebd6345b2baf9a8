import type { Deadline } from '../../db/session/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { Interval } from '../../domain/time/interval.ts';
import { columnPart } from '../../segments/codes/column.ts';
import {
  readHeadSeriesColumn,
  readHeadSeriesEntries,
  readHeadSeriesKeys,
  topperBuckets,
} from '../../segments/heads/head-series.ts';
import { findOneKey, type KeyList } from '../../segments/keys/key-list.ts';
import type { LocatedRange } from '../../segments/pages/directory.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import { tileGrid, tileOf } from '../../segments/tiles/tile-seconds.ts';
import { inBatches } from '../fetch/in-batches.ts';
import { SegmentBlocks } from '../fetch/segment-blocks.ts';
import { SegmentTiles, type TileOfRange, tilesWithin } from '../fetch/segment-tiles.ts';
import { isVisible } from '../fetch/visible-keys.ts';
import {
  rowOf,
  type SegmentSeries,
  seriesAt,
  seriesOfRows,
} from '../kernel/blocks/segment-series.ts';
import { type BlockRun, spanRun } from '../kernel/cover/cover.ts';
import { KeyOrdinals, type SoughtKey } from '../keys/key-ordinals.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import type { MeterScan } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { SectionRequests, type SegmentReader, segmentName } from '../snapshot/segment-reader.ts';

/** Keys of a segment whose series of a meter are requested. */
export type SeriesRequest = {
  readonly group: SegmentGroup;
  readonly segment: ScopedSegment;
  readonly read: MeterScan;
  /** The whole topper buckets that are needed; the series may have others too. */
  readonly interval: Interval;
  /** null: no key of the group. */
  readonly keys: readonly (SoughtKey | null)[];
};

/** A series that is not cached. */
type OpenSeries = Omit<SeriesRequest, 'keys'> & {
  readonly key: SoughtKey;
  readonly keyIndex: number;
  /** The series found so far, by index of the key. */
  readonly into: (SegmentSeries | null)[];
  /** The tiles to read, and the name of what they give in the cache. */
  readonly tiles: Interval;
  readonly name: string;
};

/** With more keys, the largest keys of a segment are looked up before any others. */
const FEW_KEYS = 8;

/** Approximate number of rows of tiles in memory at once. */
const ROWS_AT_ONCE = 4_000_000;

/**
 * Returns the series of keys by request, by topper bucket counted from the segment's first. null:
 * the segment has no such key. A series is read from those of the segment's largest keys or, for
 * any other key, made from the tiles of its range of keys.
 */
export async function readSegmentSeries(
  reader: SegmentReader,
  requested: readonly SeriesRequest[],
  deadline: Deadline | null,
): Promise<(SegmentSeries | null)[][]> {
  const found: (SegmentSeries | null)[][] = [];
  const open: OpenSeries[] = [];
  for (const each of requested) {
    const into = each.keys.map(() => null);
    found.push(into);
    for (const [keyIndex, key] of each.keys.entries()) {
      await reader.afterKeys(1);
      if (key && isVisible(each.segment, key.compact))
        open.push(...findCached(reader, each, { key, keyIndex, into }));
    }
  }
  const ordinals = new KeyOrdinals(reader);
  const heads = await readHeadKeys(reader, open, { ordinals, deadline });
  const others = await readHeadSeries(reader, open, { heads, ordinals, deadline });
  await readFromTiles(reader, others, { ordinals, deadline });
  return found;
}

/** Returns nothing if the series is cached. */
function findCached(
  reader: SegmentReader,
  { group, segment, read, interval }: SeriesRequest,
  series: Pick<OpenSeries, 'key' | 'keyIndex' | 'into'>,
): OpenSeries[] {
  const { span, tileSeconds } = segment.directory();
  const all = {
    from: tileOf(span.first, tileSeconds),
    to: tileOf(span.last, tileSeconds) + tileSeconds,
  };
  const tiles = {
    from: Math.max(all.from, tileOf(interval.from, tileSeconds)),
    to: Math.min(all.to, tileOf(interval.to - 1, tileSeconds) + tileSeconds),
  };
  const whole = `${segmentName(reader, segment)} ${read.meterIndex} ${series.key.key}`;
  const isWhole = tiles.from === all.from && tiles.to === all.to;
  const isKnown = isWhole || reader.memory.has('series', whole);
  const name = isKnown ? whole : `${whole} ${tiles.from} ${tiles.to}`;
  const known = reader.memory.find('series', name);
  if (!known) return [{ group, segment, read, interval, tiles, name, ...series }];
  series.into[series.keyIndex] = known;
  return [];
}

type Finding = { readonly ordinals: KeyOrdinals; readonly deadline: Deadline | null };

/** By segment: the keys that have a series of their own. */
type HeadKeys = ReadonlyMap<ScopedSegment, KeyList>;

/** Reads which keys have a series of their own, and where the others are if they are few. */
async function readHeadKeys(
  reader: SegmentReader,
  open: readonly OpenSeries[],
  { ordinals, deadline }: Finding,
): Promise<HeadKeys> {
  const heads = new Map<ScopedSegment, KeyList>();
  const missing = new Map<ScopedSegment, SegmentGroup>();
  const requests = new SectionRequests();
  const nameOf = (segment: ScopedSegment): string => `${segmentName(reader, segment)} series`;
  for (const [segment, ofSegment] of groupBy(open, (each) => each.segment)) {
    const { headSeries } = segment.directory();
    const known = headSeries && reader.memory.find('keys', nameOf(segment));
    if (known) heads.set(segment, known);
    else if (headSeries) {
      missing.set(segment, (ofSegment[0] as OpenSeries).group);
      requests.add(segment, [headSeries.keys]);
    }
    if (headSeries && ofSegment.length > FEW_KEYS) continue;
    for (const each of ofSegment) ordinals.request(each, requests);
  }
  const sectionsOf = await requests.read(reader, deadline);
  await ordinals.decode(sectionsOf);
  for (const [segment, { codec }] of missing) {
    const section = segment.directory().headSeries?.keys;
    if (!section) throw new Error('the series of the largest keys have keys');
    const keys = readHeadSeriesKeys(sectionsOf(segment)(section), codec);
    heads.set(segment, keys);
    reader.memory.keep('keys', nameOf(segment), keys);
  }
  return heads;
}

/** Reads the series of the largest keys. Returns those of other keys, whose ordinals are read. */
async function readHeadSeries(
  reader: SegmentReader,
  open: readonly OpenSeries[],
  { heads, ordinals, deadline }: Finding & { readonly heads: HeadKeys },
): Promise<OpenSeries[]> {
  const others: OpenSeries[] = [];
  const inHeads: { readonly each: OpenSeries; readonly headIndex: number }[] = [];
  const requests = new SectionRequests();
  for (const each of open) {
    await reader.afterKeys(1);
    const keys = heads.get(each.segment);
    const position = keys && findOneKey(keys, each.key.compact);
    if (position?.isThere) inHeads.push({ each, headIndex: position.ordinal });
    else {
      others.push(each);
      ordinals.request(each, requests);
    }
  }
  const ofMeters = groupBy(
    inHeads,
    ({ each: { segment, read } }) => `${segment.segmentId} ${read.meterIndex}`,
  );
  for (const [first] of ofMeters.values()) {
    const { segment, read } = (first as (typeof inHeads)[number]).each;
    const { headSeries } = segment.directory();
    requests.add(segment, [
      headSeries?.entries ?? null,
      headSeries?.columns[read.meterIndex] ?? null,
    ]);
  }
  const sectionsOf = await requests.read(reader, deadline);
  await ordinals.decode(sectionsOf);
  for (const ofMeter of ofMeters.values()) {
    const { each } = ofMeter[0] as (typeof inHeads)[number];
    const { segment } = each;
    const keyCount = heads.get(segment)?.count ?? 0;
    const { entries, column } = headSeriesOf(each, { keyCount, sections: sectionsOf(segment) });
    for (const { each: own, headIndex } of ofMeter) {
      keep(reader, own, seriesAt(entries, column, headIndex));
    }
    await reader.pause();
  }
  return others;
}

type StoredHeads = { readonly keyCount: number; readonly sections: Sections };

function headSeriesOf({ segment, group, read }: OpenSeries, { keyCount, sections }: StoredHeads) {
  const { headSeries, span } = segment.directory();
  if (!headSeries?.entries) throw new Error('the series of the largest keys have entries');
  const { count } = topperBuckets(span, group.shape.topperBucketSeconds);
  const size = { keyCount, topperBuckets: count };
  const entries = readHeadSeriesEntries(sections(headSeries.entries), size);
  const location = headSeries.columns[read.meterIndex] ?? null;
  const rows = entries.bucketIndexes.length;
  return { entries, column: location && readHeadSeriesColumn(sections(location), rows) };
}

function keep({ memory }: SegmentReader, open: OpenSeries, series: SegmentSeries): void {
  open.into[open.keyIndex] = series;
  memory.keep('series', open.name, series);
}

/** Series to make from the same tiles. */
type Piece = {
  readonly series: readonly { readonly each: OpenSeries; readonly ordinal: number }[];
  readonly tiles: readonly TileOfRange[];
  /** Approximate number of rows. */
  readonly readings: number;
};

async function readFromTiles(
  reader: SegmentReader,
  open: readonly OpenSeries[],
  { ordinals, deadline }: Finding,
): Promise<void> {
  const located = open.flatMap((each) => {
    const ordinal = ordinals.of(each);
    return ordinal === null ? [] : [{ each, ordinal }];
  });
  const blocks = new SegmentBlocks(reader);
  const ofBlocks = located.filter(({ each }) => isShort(each));
  const pieces = piecesOf(located.filter(({ each }) => !isShort(each)));
  const batches = inBatches(pieces, ROWS_AT_ONCE);
  const [first = [], ...others] = batches;
  const requests = new SectionRequests();
  for (const { each } of ofBlocks) blocks.request(each.segment, runOf(each), each.read, requests);
  const options = { isKept: others.length === 0 };
  for (const [i, batch] of [first, ...others].entries()) {
    const own = i === 0 ? requests : new SectionRequests();
    const tiles = new SegmentTiles(reader, options);
    for (const each of batch.flatMap((piece) => piece.tiles)) tiles.request(each, own);
    const sectionsOf = await own.read(reader, deadline);
    await Promise.all([blocks.decode(sectionsOf), tiles.decode(sectionsOf)]);
    for (const piece of batch) await makeSeries(reader, piece, tiles);
  }
  for (const { each, ordinal } of ofBlocks)
    each.into[each.keyIndex] = ofBlock(blocks, each, ordinal);
}

/** Whether the segment lies in one topper bucket: then the block of its span has the values. */
const isShort = ({ segment, group: { shape } }: OpenSeries): boolean =>
  topperBuckets(segment.directory().span, shape.topperBucketSeconds).count === 1;

function runOf({ segment, read: { bucketSeconds } }: OpenSeries): BlockRun {
  const { span } = segment.directory();
  return spanRun({ from: span.first, to: span.last + bucketSeconds });
}

function ofBlock(blocks: SegmentBlocks, each: OpenSeries, ordinal: number): SegmentSeries | null {
  const [block] = blocks.of(each.segment, runOf(each), each.read);
  const row = block ? rowOf(block.ids, ordinal) : -1;
  if (!block?.column || row < 0) return null;
  return { ids: Uint32Array.of(0), columns: [columnPart(block.column, row, row + 1)] };
}

function piecesOf(located: Piece['series']): Piece[] {
  const byRange = groupBy(located, ({ each: { segment, read, tiles }, ordinal }) => {
    const { firstOrdinal } = rangeOf(segment, ordinal);
    return `${segment.segmentId} ${firstOrdinal} ${read.meterIndex} ${tiles.from} ${tiles.to}`;
  });
  return Array.from(byRange.values(), (series) => {
    const { each, ordinal } = series[0] as Piece['series'][number];
    const { segment, read, tiles } = each;
    const range = rangeOf(segment, ordinal);
    const own = tilesWithin(range, tiles).filter(({ totals }) => totals[read.meterIndex]);
    return {
      series,
      tiles: own.map((tile) => ({ segment, range, tile, meterIndex: read.meterIndex })),
      readings: (range.rowCount * own.length) / Math.max(1, range.tiles.length),
    };
  });
}

function rangeOf(segment: ScopedSegment, ordinal: number): LocatedRange {
  const range = segment.directory().ranges.findLast(({ firstOrdinal }) => firstOrdinal <= ordinal);
  if (!range) throw new Error(`segment ${segment.segmentId} has no key ${ordinal}`);
  return range;
}

async function makeSeries(
  reader: SegmentReader,
  { series, tiles }: Piece,
  rowsOf: SegmentTiles,
): Promise<void> {
  for (const { each, ordinal } of series) {
    const { segment, read, group } = each;
    const { topperBucketSeconds, bucketSeconds } = group.shape;
    const { origin } = topperBuckets(segment.directory().span, topperBucketSeconds);
    const ofKey = tiles.map((tile) => ({
      rows: rowsOf.of(tile),
      grid: tileGrid(tile.tile.start, bucketSeconds),
    }));
    const grid = { origin, topperBucketSeconds, aggregate: read.aggregate };
    keep(reader, each, seriesOfRows(ofKey, ordinal, grid));
    await reader.pause();
  }
}
