import type { Deadline } from '../../db/session/read-session.ts';
import { lengthsName } from '../../domain/filters/network-lengths.ts';
import { floorTo } from '../../domain/time/interval.ts';
import { keyAt } from '../../segments/keys/key-list.ts';
import { tileSecondsOf } from '../../segments/tiles/tile-seconds.ts';
import {
  findPassingKeys,
  openParts,
  openSource,
  type ReadSource,
  requestParts,
} from '../answer/open-parts.ts';
import type { StartedBlock } from '../fetch/segment-blocks.ts';
import type { BlockReadings } from '../kernel/aggregate/aggregate-blocks.ts';
import { coverSteps, type StepRuns } from '../kernel/cover/cover.ts';
import type {
  BoundsToJoin,
  MappedBounds,
  StepBounds,
  StepsToBound,
} from '../kernel/select/step-bounds.ts';
import { ordinalsWithin } from '../keys/keys-within.ts';
import { uniteParts } from '../keys/united-keys.ts';
import type { KeySelection, SegmentGroup } from '../plan/key-questions.ts';
import type { MeterScan } from '../plan/meter-scan.ts';
import { overlaps } from '../plan/meter-scan.ts';
import { type SegmentPart, timeOf } from '../plan/plan-segments.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { inPauses } from '../snapshot/event-loop-scheduler.ts';
import { SectionRequests, type SegmentReader, segmentName } from '../snapshot/segment-reader.ts';

const HOUR = 3600;

type BoundKeysRead = {
  readonly group: SegmentGroup;
  readonly read: MeterScan;
  readonly selection: KeySelection;
  /** Which of a key's topper buckets is bounded, counted from the largest; 1: the largest. */
  readonly rank: number;
  readonly maxItems: number;
};

/** bound: an upper bound of the value. */
export type BoundedKey = { readonly key: string; readonly bound: number };

/** A segment's share of the window; known: its bounds, if they are cached. */
type BoundPart = SegmentPart & {
  /** The name of its bounds in the cache; null: the window has only a part of the segment. */
  readonly name: string | null;
  readonly known: StepBounds | null;
  readonly steps: readonly StepRuns[];
};

/**
 * Returns the keys whose topper buckets may have the largest values, by bounds derived from tiles:
 * largest bound first, and of equal ones the smaller key. The bounds of a whole segment are cached,
 * so that the same window, or one that shares days with it, needs none of its blocks again. Errors:
 * the meter's aggregate has no bounds.
 */
export async function boundKeys(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  { group, read, selection, rank, maxItems }: BoundKeysRead,
  deadline: Deadline | null,
): Promise<{ readonly keys: readonly BoundedKey[]; readonly keyCount: number }> {
  const { topperBucketSeconds } = group.shape;
  const stepSeconds = stepOf(group.shape);
  const parts = stepParts(reader, live, { read, stepSeconds });
  const requests = new SectionRequests();
  const opened = openParts(reader);
  requestParts(opened, { group, read, parts }, requests);
  const sectionsOf = await requests.read(reader, deadline);
  await Promise.all([opened.blocks.decode(sectionsOf), opened.keys.decode(sectionsOf)]);
  const source = await openSource(reader, { group, read, parts }, opened);
  const boundsOf = await readBounds(reader, parts, { read, source });
  const union = await uniteParts(reader, parts, source);
  const named = { keys: union.keys, codec: source.codec };
  const passing = selection.passing && (await findPassingKeys(reader, union, selection.passing));
  const mapped = (part: BoundPart): MappedBounds => ({
    bounds: boundsOf(part),
    map: union.mapOf(part),
  });
  const apart = await joinWhole(reader, {
    name: parts.every(({ name }) => name !== null) ? `${union.name} ${read.meterIndex}` : null,
    aggregate: read.aggregate,
    apart: partsApart(parts, stepSeconds).map((together) => together.map(mapped)),
    keyCount: union.keys.count,
  });
  const { keys, keyCount } = await reader.threadPool.bound(
    { aggregate: read.aggregate, apart },
    {
      within: selection.within && (await inPauses(reader, ordinalsWithin(selection.within, named))),
      passing,
      rank,
      bucketsOfStep: stepSeconds / topperBucketSeconds,
      maxItems,
      keyCount: union.keys.count,
    },
    reader.caller,
  );
  return {
    keys: keys.map(({ ordinal, bound }) => ({
      key: source.codec.decode(keyAt(union.keys, ordinal)),
      bound,
    })),
    keyCount,
  };
}

/**
 * An hour or a tile, whichever is longer, or a multiple of that and of topper buckets: all of these
 * divide a day.
 */
function stepOf({ bucketSeconds, topperBucketSeconds }: SegmentGroup['shape']): number {
  const least = Math.max(HOUR, tileSecondsOf(bucketSeconds));
  let seconds = least;
  while (seconds % topperBucketSeconds !== 0) seconds += least;
  return seconds;
}

type Steps = { readonly read: MeterScan; readonly stepSeconds: number };

/**
 * Covers the window by blocks that lie within one step each; roll-ups have none as short. Segments
 * whose bounds are cached need no blocks.
 */
const stepParts = (
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  { read, stepSeconds }: Steps,
): BoundPart[] =>
  live
    .filter((segment) => overlaps(segment, read))
    .flatMap((segment) => {
      const steps = coverSteps(read.interval, timeOf(segment, read), stepSeconds);
      if (steps.length === 0) return [];
      const name = isWithin(segment, read) ? boundsName(reader, segment, read) : null;
      const known = name === null ? null : (reader.memory.find('bounds', name) ?? null);
      const runs = known ? [] : steps.flatMap((step) => step.runs);
      return [{ segment, cover: { runs, subtract: [] }, above: [], name, known, steps }];
    });

const isWithin = ({ firstBucket, lastBucket }: ScopedSegment, { interval }: MeterScan): boolean =>
  interval.from <= firstBucket && lastBucket < interval.to;

const boundsName = (
  reader: SegmentReader,
  segment: ScopedSegment,
  { meterIndex, prefix }: MeterScan,
): string => {
  const name = `${segmentName(reader, segment)} ${meterIndex}`;
  return prefix ? `${name} ${lengthsName(prefix)}` : name;
};

/** Returns the bounds of each part. Those that are not cached are computed, in one task. */
async function readBounds(
  { memory, threadPool, caller }: SegmentReader,
  parts: readonly BoundPart[],
  { read, source }: { readonly read: MeterScan; readonly source: ReadSource },
): Promise<(part: BoundPart) => StepBounds> {
  const missing = parts.filter(({ known }) => known === null);
  const tasks = missing.map(
    ({ segment, steps }): StepsToBound => ({
      aggregate: read.aggregate,
      steps: steps.map(({ runs }) =>
        runs.flatMap((run) => [...source.blocks.startsOf(segment, run, read)]).flatMap(unitsOf),
      ),
      keyCount: source.keys.of(segment).count,
    }),
  );
  const made = tasks.length === 0 ? [] : await threadPool.boundSteps(tasks, caller);
  const found = new Map<BoundPart, StepBounds>();
  for (const [i, part] of missing.entries()) {
    const bounds = made[i] as StepBounds;
    found.set(part, bounds);
    if (part.name !== null) memory.keep('bounds', part.name, bounds);
  }
  return (part) => part.known ?? (found.get(part) as StepBounds);
}

const unitsOf = ({ block: { ids, column } }: StartedBlock): BlockReadings[] =>
  column ? [{ ids, column, sign: 1 }] : [];

/** name: that of the combined bounds in the cache; null: they are not kept. */
type BoundsOfWindow = BoundsToJoin & { readonly name: string | null };

/** Combines the bounds of several whole segments once, and keeps the result. */
async function joinWhole(
  { memory, threadPool, caller }: SegmentReader,
  { name, ...tasks }: BoundsOfWindow,
): Promise<BoundsToJoin['apart']> {
  if (name === null || tasks.apart.flat().length < 2) return tasks.apart;
  const known = memory.find('bounds', name);
  const bounds = known ?? (await threadPool.joinBounds(tasks, caller));
  if (!known) memory.keep('bounds', name, bounds);
  return [[{ bounds, map: null }]];
}

/** Puts parts that may have a step in common into one list. */
function partsApart(parts: readonly BoundPart[], stepSeconds: number): BoundPart[][] {
  const ordered = parts.toSorted((a, b) => a.segment.firstBucket - b.segment.firstBucket);
  const apart: BoundPart[][] = [];
  let lastStep = Number.NEGATIVE_INFINITY;
  for (const part of ordered) {
    const { firstBucket, lastBucket } = part.segment;
    if (floorTo(firstBucket, stepSeconds) > lastStep) apart.push([]);
    apart.at(-1)?.push(part);
    lastStep = Math.max(lastStep, floorTo(lastBucket, stepSeconds));
  }
  return apart;
}
