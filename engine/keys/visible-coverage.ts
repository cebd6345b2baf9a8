import DataLoader from 'dataloader';
import { groupBy } from '../../domain/group-by.ts';
import type { CoveredSpan } from '../../domain/time/newest-bucket.ts';
import { presentUntil } from '../../domain/time/newest-bucket.ts';
import { hasKey, nextKey } from '../../segments/filter/key-set.ts';
import { tileGrid } from '../../segments/tiles/tile-seconds.ts';
import { SegmentTiles, type TileOfRange, tileAt } from '../fetch/segment-tiles.ts';
import { VisibleKeys } from '../fetch/visible-keys.ts';
import type { ReadGroup } from '../plan/catalog.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { segmentsOfContexts } from '../snapshot/context-segments.ts';
import type { ContextState, NodeReader } from '../snapshot/node-reader.ts';
import { SectionRequests, type SegmentReader } from '../snapshot/segment-reader.ts';
import { type SegmentKeySet, visibleKeys } from './present-keys.ts';

/** Readings of a group, of one probe or (null) of all. */
type CoverageRequest = {
  readonly contextId: number;
  readonly group: ReadGroup;
  readonly probeId: number | null;
};

/**
 * Loads where groups have readings that the caller may see. Of limited segments, only the ends of
 * all of them together are looked for: in their outermost tiles first.
 */
export const coverageLoader = (
  reader: NodeReader,
): DataLoader<CoverageRequest, readonly CoveredSpan[], string> =>
  new DataLoader((requests) => Promise.all(requests.map((request) => coverage(reader, request))), {
    batchScheduleFn: reader.batchScheduleFn,
    cacheKeyFn: ({ group: { groupId }, probeId }) => `${groupId} ${probeId}`,
  });

async function coverage(
  reader: NodeReader,
  request: CoverageRequest,
): Promise<readonly CoveredSpan[]> {
  for (;;) {
    const state = await reader.context(request.contextId);
    const { groupId } = request.group;
    const ofProbe = ({ probeId }: { readonly probeId: number }): boolean =>
      request.probeId === null || probeId === request.probeId;
    const rows = state.catalog.coverageOf(groupId).filter(ofProbe);
    if (state.limit === null) return rows;
    const whole = rows.filter(({ probeId }) => state.limit?.keysOf(groupId, probeId) === null);
    // Where nobody's readings are, the caller's are not either.
    if (whole.length === rows.length) return whole;
    const reads = [{ contextId: request.contextId, read: request.group }];
    const { segments, isOneSnapshot } = await segmentsOfContexts(reader, reads);
    const limited = segments.filter((segment) => segment.limit !== null && ofProbe(segment));
    const span = await keptSpan(reader, state, request, limited);
    if (isOneSnapshot()) return span ? [...whole, span] : whole;
  }
}

/** Returns the span of limited segments; null: they have no readings that the caller may see. */
async function keptSpan(
  reader: NodeReader,
  { memoryKey, versions }: ContextState,
  { group, probeId }: CoverageRequest,
  segments: readonly ScopedSegment[],
): Promise<CoveredSpan | null> {
  const { bucketSeconds, topperBucketSeconds } = group.shape;
  const name = `${group.groupId} ${probeId} at ${versions.version} ${memoryKey}`;
  const until = presentUntil(reader.databaseNow(), topperBucketSeconds);
  const known = reader.memory.spans.get(name);
  if (known && (known.span === null || known.span.lastBucket <= until)) return known.span;
  const find = (bound: number) =>
    findEnds(reader.segments, segments, { until: bound, bucketSeconds });
  const ends = await find(Number.POSITIVE_INFINITY);
  const earlier = ends && ends.last > until ? await find(until) : null;
  const earlierBuckets = earlier && [earlier.last];
  const span = ends && { firstBucket: ends.first, lastBucket: ends.last, earlierBuckets };
  reader.memory.spans.set(name, { span });
  return span;
}

type WantedEnds = {
  /** Later buckets do not count. */
  readonly until: number;
  readonly bucketSeconds: number;
};

/** The first and the last bucket in which a visible key has a reading. */
type Ends = { readonly first: number; readonly last: number };

/** A tile of all keys of a segment. */
type WholeTile = { readonly segment: ScopedSegment; readonly start: number };

/** Tiles that are read at once at each end: first few, because most often they are enough. */
const FIRST_TILES = 2;
const MAX_TILES = 32;

/** Returns the ends of segments; null: no visible key has a reading. */
async function findEnds(
  reader: SegmentReader,
  segments: readonly ScopedSegment[],
  wanted: WantedEnds,
): Promise<Ends | null> {
  let tiles = segments
    .flatMap(tilesOf)
    .filter(({ start }) => start <= wanted.until)
    .sort((a, b) => a.start - b.start);
  let ends: Ends | null = null;
  const mayImprove = ({ segment, start }: WholeTile): boolean =>
    ends === null || start < ends.first || start + segment.directory().tileSeconds > ends.last;
  let from = 0;
  let to = tiles.length;
  for (let count = FIRST_TILES; from < to; count = Math.min(2 * count, MAX_TILES)) {
    const middle = Math.min(from + count, to);
    const rest = Math.max(middle, to - count);
    const outer = [...tiles.slice(from, middle), ...tiles.slice(rest, to)].filter(mayImprove);
    // Those between lie further inside.
    if (outer.length === 0) break;
    for (const found of await endsIn(reader, outer, wanted)) ends = joined(ends, found);
    from = middle;
    to = rest;
    if (ends !== null || count > FIRST_TILES) continue;
    // Most segments may have no visible key at all, so that their tiles need not be read.
    tiles = await withVisibleKeys(reader, tiles.slice(from, to));
    from = 0;
    to = tiles.length;
  }
  return ends;
}

async function withVisibleKeys(
  reader: SegmentReader,
  tiles: readonly WholeTile[],
): Promise<WholeTile[]> {
  const seen = new Set<ScopedSegment>();
  const segments = [...new Set(tiles.map(({ segment }) => segment))];
  for (let from = 0; from < segments.length; from += MAX_TILES) {
    const some = segments.slice(from, from + MAX_TILES);
    for (const each of await visibleKeys(reader, some, null)) {
      if (hasVisible(each)) seen.add(each.segment);
    }
  }
  return tiles.filter(({ segment }) => seen.has(segment));
}

const hasVisible = ({ present }: SegmentKeySet): boolean =>
  present === null || nextKey(present, 0) < present.count;

type ProbeOfContext = { readonly contextId: number; readonly probeId: number };

/** Loads whether probes have readings of keys that the caller may see. */
export const seenProbesLoader = (reader: NodeReader): DataLoader<ProbeOfContext, boolean, string> =>
  new DataLoader(
    async (probes) => {
      const ofContexts = groupBy(probes, ({ contextId }) => contextId);
      const seen = new Map<number, ReadonlySet<number>>();
      for (const [contextId, own] of ofContexts) {
        const probeIds = own.map(({ probeId }) => probeId);
        seen.set(contextId, await seenProbes(reader, contextId, new Set(probeIds)));
      }
      return probes.map(({ contextId, probeId }) => seen.get(contextId)?.has(probeId) ?? false);
    },
    {
      batchScheduleFn: reader.batchScheduleFn,
      cacheKeyFn: ({ contextId, probeId }) => `${contextId} ${probeId}`,
    },
  );

async function seenProbes(
  reader: NodeReader,
  contextId: number,
  wanted: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  for (;;) {
    const { catalog } = await reader.context(contextId);
    const reads = catalog.groups.map(({ groupId }) => ({ contextId, read: { groupId } }));
    const { segments, isOneSnapshot } = await segmentsOfContexts(reader, reads);
    const seen = new Set<number>();
    let open: ScopedSegment[] = [];
    for (const segment of segments) {
      if (!wanted.has(segment.probeId)) continue;
      if (segment.limit === null) seen.add(segment.probeId);
      else open.push(segment);
    }
    open.sort((a, b) => b.lastBucket - a.lastBucket);
    // Every key of a segment has a reading in it.
    while (open.length > 0) {
      open = open.filter(({ probeId }) => !seen.has(probeId));
      for (const each of await visibleKeys(reader.segments, open.splice(0, MAX_SEGMENTS), null)) {
        if (hasVisible(each)) seen.add(each.segment.probeId);
      }
      await reader.pause();
    }
    if (isOneSnapshot()) return seen;
  }
}

/** Segments whose keys are looked through at once. */
const MAX_SEGMENTS = 500;

const joined = (one: Ends | null, other: Ends): Ends =>
  one === null
    ? other
    : { first: Math.min(one.first, other.first), last: Math.max(one.last, other.last) };

const tilesOf = (segment: ScopedSegment): WholeTile[] => {
  const starts = segment.directory().ranges.flatMap(({ tiles }) => tiles.map(({ start }) => start));
  return [...new Set(starts)].map((start) => ({ segment, start }));
};

const rangesOf = ({ segment, start }: WholeTile): TileOfRange[] =>
  segment.directory().ranges.flatMap((range) => {
    const tile = tileAt(range, start);
    return tile ? [{ segment, range, tile, meterIndex: null }] : [];
  });

/** Returns the ends of each tile in which a visible key has a reading. */
async function endsIn(
  reader: SegmentReader,
  wholeTiles: readonly WholeTile[],
  { until, bucketSeconds }: WantedEnds,
): Promise<Ends[]> {
  const requests = new SectionRequests();
  const visible = new VisibleKeys(reader);
  const tiles = new SegmentTiles(reader);
  for (const each of wholeTiles) {
    visible.request(each.segment, requests);
    for (const tile of rangesOf(each)) tiles.request(tile, requests);
  }
  const sectionsOf = await requests.read(reader, null);
  await Promise.all([visible.decode(sectionsOf), tiles.decode(sectionsOf)]);
  const found: Ends[] = [];
  for (const each of wholeTiles) {
    const seen = visible.of(each.segment);
    const { origin } = tileGrid(each.start, bucketSeconds);
    let ends: Ends | null = null;
    for (const { ids, buckets } of rangesOf(each).map((tile) => tiles.of(tile))) {
      for (let row = 0; row < ids.length; row += 1) {
        if (seen !== null && !hasKey(seen, ids[row] as number)) continue;
        const bucket = origin + (buckets[row] as number) * bucketSeconds;
        if (bucket > until || (ends && bucket >= ends.first && bucket <= ends.last)) continue;
        ends = joined(ends, { first: bucket, last: bucket });
      }
    }
    if (ends !== null) found.push(ends);
    await reader.pause();
  }
  return found;
}
