import DataLoader from 'dataloader';
import type { CoveredSpan } from '../../domain/time/newest-bucket.ts';
import { presentUntil } from '../../domain/time/newest-bucket.ts';
import { hasKey } from '../../segments/filter/key-set.ts';
import { tileGrid } from '../../segments/tiles/tile-seconds.ts';
import { SegmentTiles, type TileOfRange, tileAt } from '../fetch/segment-tiles.ts';
import { VisibleKeys } from '../fetch/visible-keys.ts';
import type { ReadGroup } from '../plan/catalog.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { segmentsOfContexts } from '../snapshot/context-segments.ts';
import type { ContextState, NodeReader } from '../snapshot/node-reader.ts';
import { SectionRequests, type SegmentReader } from '../snapshot/segment-reader.ts';

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
  const find = (side: Side, bound: number) =>
    findEnd(reader.segments, segments, { side, until: bound, bucketSeconds });
  const firstBucket = await find('first', Number.POSITIVE_INFINITY);
  const lastBucket = await find('last', Number.POSITIVE_INFINITY);
  const earlier = lastBucket !== null && lastBucket > until ? await find('last', until) : null;
  const span =
    firstBucket === null || lastBucket === null
      ? null
      : { firstBucket, lastBucket, earlierBuckets: earlier === null ? null : [earlier] };
  reader.memory.spans.set(name, { span });
  return span;
}

type Side = 'first' | 'last';

type WantedEnd = {
  readonly side: Side;
  /** Later buckets do not count. */
  readonly until: number;
  readonly bucketSeconds: number;
};

/** A tile of all keys of a segment. */
type WholeTile = { readonly segment: ScopedSegment; readonly start: number };

/** Tiles that are read at once: first few, because most often the outermost ones are enough. */
const FIRST_TILES = 4;
const MAX_TILES = 64;

/** Returns the first or the last bucket in which a visible key has a reading; null: none. */
async function findEnd(
  reader: SegmentReader,
  segments: readonly ScopedSegment[],
  wanted: WantedEnd,
): Promise<number | null> {
  const isFirst = wanted.side === 'first';
  const open = segments
    .flatMap(tilesOf)
    .filter(({ start }) => start <= wanted.until)
    .sort((a, b) => (isFirst ? a.start - b.start : b.start - a.start));
  let best: number | null = null;
  const mayImprove = ({ segment, start }: WholeTile): boolean =>
    best === null || (isFirst ? start < best : start + segment.directory().tileSeconds > best);
  for (let from = 0, count = FIRST_TILES; from < open.length; ) {
    const some = open.slice(from, from + count).filter(mayImprove);
    if (some.length === 0) break;
    for (const bucket of await endsIn(reader, some, wanted)) {
      best = best === null ? bucket : Math[isFirst ? 'min' : 'max'](best, bucket);
    }
    from += count;
    count = Math.min(2 * count, MAX_TILES);
  }
  return best;
}

const tilesOf = (segment: ScopedSegment): WholeTile[] => {
  const starts = segment.directory().ranges.flatMap(({ tiles }) => tiles.map(({ start }) => start));
  return [...new Set(starts)].map((start) => ({ segment, start }));
};

const rangesOf = ({ segment, start }: WholeTile): TileOfRange[] =>
  segment.directory().ranges.flatMap((range) => {
    const tile = tileAt(range, start);
    return tile ? [{ segment, range, tile, meterIndex: null }] : [];
  });

/** Returns the outermost bucket of each tile in which a visible key has a reading. */
async function endsIn(
  reader: SegmentReader,
  wholeTiles: readonly WholeTile[],
  wanted: WantedEnd,
): Promise<number[]> {
  const requests = new SectionRequests();
  const visible = new VisibleKeys(reader);
  const tiles = new SegmentTiles(reader);
  for (const each of wholeTiles) {
    visible.request(each.segment, requests);
    for (const tile of rangesOf(each)) tiles.request(tile, requests);
  }
  const sectionsOf = await requests.read(reader, null);
  await Promise.all([visible.decode(sectionsOf), tiles.decode(sectionsOf)]);
  const found: number[] = [];
  for (const each of wholeTiles) {
    const end = endIn(
      rangesOf(each).map((tile) => tiles.of(tile)),
      {
        ...wanted,
        visible: visible.of(each.segment),
        start: each.start,
      },
    );
    if (end !== null) found.push(end);
    await reader.pause();
  }
  return found;
}

type EndInTile = WantedEnd & {
  readonly visible: ReturnType<VisibleKeys['of']>;
  /** Where the tile starts. */
  readonly start: number;
};

function endIn(
  ranges: readonly ReturnType<SegmentTiles['of']>[],
  { side, until, bucketSeconds, visible, start }: EndInTile,
): number | null {
  const { origin } = tileGrid(start, bucketSeconds);
  let best: number | null = null;
  for (const { ids, buckets } of ranges) {
    for (let row = 0; row < ids.length; row += 1) {
      if (visible !== null && !hasKey(visible, ids[row] as number)) continue;
      const bucket = origin + (buckets[row] as number) * bucketSeconds;
      if (bucket > until || (best !== null && (side === 'first') === bucket > best)) continue;
      best = bucket;
    }
  }
  return best;
}
