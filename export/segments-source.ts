import { copiesOf } from '../db/session/copy-source.ts';
import { selectProbeNames } from '../db/sql/contexts.ts';
import { groupBy } from '../domain/group-by.ts';
import { LIMITS } from '../domain/limits.ts';
import { DamagedSegment } from '../segments/damaged-segment.ts';
import { type KeyCodec, keyCodecOf } from '../segments/keys/key-codec.ts';
import { mergeRanges } from '../segments/merge/merge-ranges.ts';
import type { KeyRange } from '../segments/readings/key-range.ts';
import type { SegmentShape } from '../segments/shape.ts';
import { loadManifest, type StoredSegment } from '../store/read/manifest.ts';
import { segmentRanges } from '../store/read/segment-ranges.ts';
import { loadShapes } from '../store/shapes/load-shapes.ts';
import { countGroupKeys } from './count-keys.ts';
import { type RangeRow, rangeRows } from './range-rows.ts';
import type {
  ExportedGroup,
  KeyCounts,
  ReadingPage,
  ReadingQuery,
  ReadingRow,
  ReadingSource,
} from './reading-source.ts';
import { UnwrittenTexts } from './unwritten-texts.ts';

/**
 * Opens the readings stored in segments, slice by slice, group by group and probe by probe.
 * Segments that overlap in time are merged while they are read, with one range of keys per segment
 * in memory.
 */
export async function openSegments(query: ReadingQuery): Promise<ReadingSource> {
  const { connection, contextId } = query;
  const manifest = await loadManifest(copiesOf(connection), { contextId });
  const shapes = await loadShapes(connection, contextId);
  const probes = await selectProbeNames(connection, contextId);
  const all = [...(manifest?.segments.values() ?? [])];
  const walks = query.groups.flatMap((group): Walk[] => {
    const shape = shapes.get(group.groupId);
    if (!shape) return [];
    const segments = wantedSegments(all, query, group);
    return [{ query, group, shape, codec: keyCodecOf(shape), segments, probes }];
  });
  const progress = new Progress(walks.flatMap(({ segments }) => segments));
  /** By the group that has them: groups with the same keys say each text once. */
  const texts = new Map<number, UnwrittenTexts>();
  async function* pages(): AsyncGenerator<ReadingPage> {
    const unsaidBy = new Map<Walk, UnwrittenTexts>();
    for (const walk of walks) {
      const { keysGroupId: groupId } = walk.group;
      // A cancel that arrives between two statements is lost, and the next one may wait for a lock.
      query.signal?.throwIfAborted();
      const unsaid =
        texts.get(groupId) ?? (await UnwrittenTexts.load({ connection, groupId }, walk.codec));
      texts.set(groupId, unsaid);
      unsaidBy.set(walk, unsaid);
    }
    for (const { sliceId } of query.slices) {
      for (const [walk, unsaid] of unsaidBy) {
        yield* pagesOfSlice(sliceId, { walk, unsaid, progress });
      }
    }
  }
  async function keyCounts(): Promise<KeyCounts> {
    let read = 0;
    let withoutReadings = 0;
    for (const walk of walks) {
      // Its own: a text of another group's key need not be of a key that it has.
      withoutReadings += texts.get(walk.group.groupId)?.countOfUsers() ?? 0;
      query.signal?.throwIfAborted();
      read += await countGroupKeys({ ...query, ...walk, source: copiesOf(connection) });
    }
    return { read, withoutReadings };
  }
  return { pages, keyCounts };
}

/** The segments of one group that have readings in the window, ordered by probe. */
type Walk = {
  readonly query: ReadingQuery;
  readonly group: ExportedGroup;
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  readonly segments: readonly StoredSegment[];
  readonly probes: ReadonlyMap<number, string>;
};

function wantedSegments(
  all: readonly StoredSegment[],
  { slices, from, to }: ReadingQuery,
  { groupId }: ExportedGroup,
): StoredSegment[] {
  const available = new Set(slices.map(({ sliceId }) => sliceId));
  return all
    .filter(
      (segment) =>
        segment.groupId === groupId &&
        available.has(segment.sliceId) &&
        segment.lastBucket >= from &&
        segment.firstBucket < to,
    )
    .sort((a, b) => a.probeId - b.probeId || a.segmentId - b.segmentId);
}

type GroupWalk = {
  readonly walk: Walk;
  readonly unsaid: UnwrittenTexts;
  readonly progress: Progress;
};

async function* pagesOfSlice(
  sliceId: number,
  { walk, unsaid, progress }: GroupWalk,
): AsyncGenerator<ReadingPage> {
  const { query, shape, codec } = walk;
  const source = copiesOf(query.connection);
  const segments = walk.segments.filter((segment) => segment.sliceId === sliceId);
  for (const [probeId, ofProbe] of groupBy(segments, (segment) => segment.probeId)) {
    const probe = probeNameOf(walk, probeId);
    for (const cluster of timeClusters(ofProbe)) {
      query.signal?.throwIfAborted();
      const streams = cluster.map((segment) =>
        progress.counted(segment, segmentRanges(source, segment, { shape, codec })),
      );
      for await (const range of mergeRanges(streams, shape)) {
        query.signal?.throwIfAborted();
        yield* pagesOfRange({ ...walk, probe, unsaid, progress }, range);
      }
    }
  }
}

/** Returns the probe's name; probe 0 means none. */
function probeNameOf({ probes }: Walk, probeId: number): string | null {
  if (probeId === 0) return null;
  const name = probes.get(probeId);
  if (name === undefined) throw new Error(`a segment names probe ${probeId}, which is not there`);
  return name;
}

type RangeWalk = Walk & {
  readonly probe: string | null;
  readonly unsaid: UnwrittenTexts;
  readonly progress: Progress;
};

async function* pagesOfRange(walk: RangeWalk, range: KeyRange): AsyncGenerator<ReadingPage> {
  const { query, group, probe, shape, codec, unsaid, progress } = walk;
  const places = unsaid.placesOf(range.keys);
  const reading = { codec, aggregates: shape.aggregates, from: query.from, to: query.to };
  const rowCount = range.readings.starts.length;
  let done = 0;
  for (const part of inParts(rangeRows(range, reading), LIMITS.exportPageRows)) {
    const rows = await withTexts(part, places, unsaid);
    done += part.length;
    yield { group, probe, rows, done: progress.within(done / rowCount) };
  }
  progress.rangeIsDone();
}

function* inParts<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Attaches the texts of each key to the first of its rows. */
async function withTexts(
  rows: readonly RangeRow[],
  places: Int32Array,
  unsaid: UnwrittenTexts,
): Promise<ReadingRow[]> {
  const wanted = new Map<number, string>();
  for (const { ordinal, key } of rows) {
    const place = places[ordinal] ?? -1;
    if (unsaid.isUnwritten(place)) wanted.set(place, key);
  }
  const texts = await unsaid.take(Array.from(wanted, ([place, key]) => ({ place, key })));
  return rows.map(({ ordinal: _, ...row }) => {
    const own = texts.get(row.key) ?? null;
    if (own !== null) texts.delete(row.key);
    return { ...row, texts: own };
  });
}

const VERIFY = '`countergraph verify` names all that is damaged';

/** Tracks the fraction of data read so far, measured in rows of segments. */
class Progress {
  readonly #all: number;
  #read = 0;
  #before = 0;

  constructor(segments: readonly StoredSegment[]) {
    this.#all = segments.reduce((sum, { rowCount }) => sum + rowCount, 0);
  }

  /** Passes on the ranges of a segment and counts each when it is read. */
  async *counted(segment: StoredSegment, ranges: AsyncIterable<KeyRange>) {
    try {
      for await (const range of ranges) {
        this.#read += range.readings.starts.length;
        yield range;
      }
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      throw new Error(`segment ${segment.segmentId}: ${error.message}; ${VERIFY}`, {
        cause: error,
      });
    }
  }

  /** Returns the overall fraction when `part` of the current range has been written. */
  within(part: number): number {
    return this.#before + (this.#share() - this.#before) * part;
  }

  rangeIsDone(): void {
    this.#before = this.#share();
  }

  #share(): number {
    return this.#all === 0 ? 1 : Math.min(1, this.#read / this.#all);
  }
}

/** An item that covers a time span, given by the starts of its first and last bucket. */
export type Spanned = { readonly firstBucket: number; readonly lastBucket: number };

/**
 * Groups items that overlap in time, oldest first. If two segments share a key and bucket, they are
 * in the same cluster, so each cluster can be read by itself and only a few of a feed's commits are
 * open at once.
 */
export function timeClusters<Item extends Spanned>(items: readonly Item[]): Item[][] {
  const clusters: Item[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const item of items.toSorted((a, b) => a.firstBucket - b.firstBucket)) {
    const open = clusters.at(-1);
    if (open && item.firstBucket <= end) open.push(item);
    else clusters.push([item]);
    end = Math.max(end, item.lastBucket);
  }
  return clusters;
}
