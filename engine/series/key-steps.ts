import type { Deadline } from '../../db/session/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import {
  ceilTo,
  type EpochSeconds,
  floorTo,
  type Interval,
  isEmpty,
} from '../../domain/time/interval.ts';
import { topperBuckets } from '../../segments/heads/head-series.ts';
import { oneKey } from '../../segments/keys/key-list.ts';
import { readTotals } from '../../segments/pages/read-range.ts';
import { answerSegments } from '../answer/answer-segments.ts';
import type { SegmentSeries } from '../kernel/blocks/segment-series.ts';
import type { SoughtKey } from '../keys/key-ordinals.ts';
import type { SegmentGroup, SegmentQuestion } from '../plan/key-questions.ts';
import { type MeterScan, nameOfRead } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import type { SealedSegments } from './sealed-values.ts';
import { readSegmentSeries, type SeriesRequest } from './segment-series.ts';
import { onSteps, type SeriesPart, valuePart } from './step-series.ts';

/**
 * One key's readings on an epoch-aligned grid of steps, which are whole topper buckets. key: in raw
 * form; null: all keys of the group together.
 */
export type KeyStepsRequest = {
  readonly group: SegmentGroup;
  readonly read: MeterScan;
  readonly stepSeconds: number;
  readonly key: string | null;
  /** Segments to leave out, because their values are known. */
  readonly without?: SealedSegments;
};

/** Keys that are read by the same steps, and the segments that have them. */
type Grid = {
  readonly first: KeyStepsRequest;
  readonly requests: readonly KeyStepsRequest[];
  readonly keys: readonly (string | null)[];
  readonly segments: readonly ScopedSegment[];
  /** The whole topper buckets of the interval; `edges` are the remainders at its ends. */
  readonly inner: Interval;
  readonly edges: readonly Interval[];
};

/**
 * Returns the readings of any number of keys by segment, in the order of the requests. Pages that
 * are not cached are read by one statement, after one for keys that are not cached.
 */
export async function readKeyParts(
  reader: SegmentReader,
  segments: Iterable<ScopedSegment>,
  requests: readonly KeyStepsRequest[],
  deadline: Deadline | null,
): Promise<(readonly SeriesPart[])[]> {
  const live = [...segments];
  const grids = [...groupBy(requests, gridName).values()].map((ofGrid) => openGrid(live, ofGrid));
  const [inner, edges] = await Promise.all([
    readInner(reader, grids, deadline),
    readEdges(reader, live, grids, deadline),
  ]);
  const found = new Map<KeyStepsRequest, readonly SeriesPart[]>();
  for (const grid of grids) {
    const ofKeys = new Map<string | null, readonly SeriesPart[]>();
    for (const [keyIndex, key] of grid.keys.entries()) {
      const parts = inner.get(grid)?.[keyIndex] ?? [];
      parts.push(...(edges.get(grid)?.get(key) ?? []));
      ofKeys.set(key, parts);
    }
    for (const request of grid.requests) found.set(request, ofKeys.get(request.key) ?? []);
    await reader.pause();
  }
  return requests.map((request) => found.get(request) ?? []);
}

const gridName = ({ read, stepSeconds, without }: KeyStepsRequest): string =>
  `${nameOfRead(read)} ${stepSeconds} ${without?.name ?? ''}`;

export const originOf = ({ read, stepSeconds }: KeyStepsRequest): EpochSeconds =>
  floorTo(read.interval.from, stepSeconds);

function openGrid(live: readonly ScopedSegment[], requests: readonly KeyStepsRequest[]): Grid {
  const [first] = requests;
  if (!first) throw new Error('a grid without requests');
  const { groupId, probeId } = first.read;
  const { without } = first;
  const own = live.filter(
    (segment) =>
      segment.groupId === groupId &&
      (probeId === null || segment.probeId === probeId) &&
      !without?.segments.has(segment),
  );
  const { inner, edges } = splitInterval(first, own);
  const segments = own.filter(
    ({ firstBucket, lastBucket }) => firstBucket < inner.to && lastBucket >= inner.from,
  );
  const keys = [...new Set(requests.map(({ key }) => key))];
  return { first, requests, keys, segments, inner, edges };
}

const NOTHING: Interval = { from: 0, to: 0 };

/**
 * Divides the interval into its whole topper buckets and the remainders at its ends. If there are
 * no data beyond an end, the topper bucket there counts as whole.
 */
function splitInterval(
  { group, read }: KeyStepsRequest,
  segments: readonly ScopedSegment[],
): Pick<Grid, 'inner' | 'edges'> {
  const { bucketSeconds, topperBucketSeconds: size } = group.shape;
  // A bucket is in the interval if its start is: an interval that ends within the last bucket of a
  // topper bucket contains the whole topper bucket.
  const requested = {
    from: ceilTo(read.interval.from, bucketSeconds),
    to: ceilTo(read.interval.to, bucketSeconds),
  };
  const firstBucket = Math.min(...segments.map((segment) => segment.firstBucket));
  const lastBucket = Math.max(...segments.map((segment) => segment.lastBucket));
  if (segments.length === 0 || isEmpty(requested)) return { inner: NOTHING, edges: [] };
  const from = requested.from <= firstBucket ? floorTo(firstBucket, size) : requested.from;
  const to = requested.to > lastBucket ? ceilTo(lastBucket + 1, size) : requested.to;
  const inner = { from: ceilTo(from, size), to: floorTo(to, size) };
  // If there is no whole topper bucket, both ends lie in one topper bucket or in two adjacent ones.
  const cut = isEmpty(inner) ? Math.min(Math.max(inner.from, from), to) : null;
  const edges = [
    { from, to: cut ?? inner.from },
    { from: cut ?? inner.to, to },
  ];
  return { inner: cut === null ? inner : NOTHING, edges: edges.filter((edge) => !isEmpty(edge)) };
}

/** By grid, and by index of the key. */
type InnerParts = Map<Grid, SeriesPart[][]>;

/** By grid, and by key. */
type EdgeParts = Map<Grid, Map<string | null, SeriesPart[]>>;

/** Reads the values of the keys in the edges, which are parts of one topper bucket each. */
async function readEdges(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  grids: readonly Grid[],
  deadline: Deadline | null,
): Promise<EdgeParts> {
  const requested = grids.flatMap((grid) =>
    grid.edges.flatMap((interval) => edgeQuestions(grid, interval)),
  );
  const answers =
    requested.length === 0
      ? []
      : await answerSegments(
          reader,
          { segments: live, rollUps: [] },
          requested.map(({ question }) => question),
          deadline,
        );
  const parts: EdgeParts = new Map();
  for (const [i, { grid, at, keys }] of requested.entries()) {
    const answer = answers[i];
    const values =
      answer?.kind === 'values' ? answer.values : answer?.kind === 'top' ? [answer.total] : [];
    for (const [keyIndex, key] of keys.entries()) {
      const value = values[keyIndex];
      if (value) partsOf(parts, { grid, key }).push(valuePart(at, value));
    }
  }
  return parts;
}

type EdgeQuestion = {
  readonly grid: Grid;
  readonly at: number;
  readonly keys: readonly (string | null)[];
  readonly question: SegmentQuestion;
};

function edgeQuestions(grid: Grid, interval: Interval): EdgeQuestion[] {
  const { first } = grid;
  const { group } = first;
  const read = { ...first.read, interval };
  const at = Math.floor((interval.from - originOf(first)) / first.stepSeconds);
  const named = grid.keys.filter((key) => key !== null);
  const questions: EdgeQuestion[] = [];
  if (named.length > 0) {
    const question = { kind: 'values', keys: named } as const;
    questions.push({ grid, at, keys: named, question: { group, read, question } });
  }
  if (named.length < grid.keys.length) {
    const question = { kind: 'top', maxItems: 1, within: null, passing: null } as const;
    questions.push({ grid, at, keys: [null], question: { group, read, question } });
  }
  return questions;
}

type KeyOfGrid = { readonly grid: Grid; readonly key: string | null };

/** Returns the parts of a key of a grid so far; the caller adds to them. */
function partsOf(parts: EdgeParts, { grid, key }: KeyOfGrid): SeriesPart[] {
  const ofGrid = parts.get(grid) ?? new Map<string | null, SeriesPart[]>();
  parts.set(grid, ofGrid);
  const known = ofGrid.get(key) ?? [];
  ofGrid.set(key, known);
  return known;
}

/** What a grid asks of a segment; series: null if it asks only for the whole group. */
type OfSegment = {
  readonly grid: Grid;
  readonly segment: ScopedSegment;
  readonly series: SeriesRequest | null;
};

/** Reads the readings of the keys in whole topper buckets, segment by segment. */
async function readInner(
  reader: SegmentReader,
  grids: readonly Grid[],
  deadline: Deadline | null,
): Promise<InnerParts> {
  const asked: OfSegment[] = [];
  for (const grid of grids.filter(({ inner }) => !isEmpty(inner))) {
    const keys: (SoughtKey | null)[] = [];
    for (const key of grid.keys) {
      await reader.afterKeys(1);
      keys.push(soughtKey(grid.first.group, key));
    }
    const hasKeys = grid.keys.some((key) => key !== null);
    const { group, read } = grid.first;
    for (const segment of grid.segments) {
      const series = { group, segment, read, interval: grid.inner, keys };
      asked.push({ grid, segment, series: hasKeys ? series : null });
    }
  }
  const requested = asked.flatMap(({ series }) => series ?? []);
  const found = (await readSegmentSeries(reader, requested, deadline)).values();
  const parts: InnerParts = new Map();
  for (const { grid, segment, series } of asked) {
    const ofKeys = series ? (found.next().value ?? []) : [];
    const steps = stepGrid(grid, segment);
    const ofGrid = parts.get(grid) ?? grid.keys.map((): SeriesPart[] => []);
    parts.set(grid, ofGrid);
    for (const [keyIndex, key] of grid.keys.entries()) {
      await reader.afterKeys(1);
      const readings = key === null ? totalsOf(segment, grid) : ofKeys[keyIndex];
      if (!readings || readings.ids.length === 0) continue;
      ofGrid[keyIndex]?.push({ ...onSteps(readings, steps), segment });
    }
  }
  return parts;
}

/** null: the group, or not a key of it. */
function soughtKey({ codec }: SegmentGroup, key: string | null): SoughtKey | null {
  const bytes = key === null ? null : codec.encodeIfKey(key);
  return key === null || bytes === null ? null : { key, compact: oneKey(bytes) };
}

/** Returns the totals of a segment's keys. They are in the directory, so no page is needed. */
function totalsOf(segment: ScopedSegment, { first: { group, read } }: Grid): SegmentSeries | null {
  if (segment.limit !== null) throw new Error('the directory has only the totals of all keys');
  const directory = segment.directory();
  const { origin } = topperBuckets(directory.span, group.shape.topperBucketSeconds);
  const { starts, columns } = readTotals(directory, group.shape);
  const column = columns[read.meterIndex] ?? null;
  if (column === null) return null;
  const ids = Uint32Array.from(
    starts,
    (start) => (start - origin) / group.shape.topperBucketSeconds,
  );
  return { ids, columns: [column] };
}

const stepGrid = ({ first, inner }: Grid, segment: ScopedSegment) => ({
  start: floorTo(segment.firstBucket, first.group.shape.topperBucketSeconds),
  topperBucketSeconds: first.group.shape.topperBucketSeconds,
  origin: originOf(first),
  stepSeconds: first.stepSeconds,
  inner,
});
