import type { Deadline } from '../../db/session/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import { floorTo } from '../../domain/time/interval.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
import { findKey, type KeyList } from '../../segments/keys/key-list.ts';
import type { KnownBlock } from '../cache/segment-cache.ts';
import { SegmentBlocks } from '../fetch/segment-blocks.ts';
import { SegmentKeys } from '../fetch/segment-keys.ts';
import { rowOf } from '../kernel/blocks/segment-series.ts';
import { coverSteps, type StepRuns } from '../kernel/cover/cover.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import { type MeterScan, nameOfRead, overlaps } from '../plan/meter-scan.ts';
import { timeOf } from '../plan/plan-segments.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { SectionRequests, type SegmentReader } from '../snapshot/segment-reader.ts';
import { type SeriesPart, StepSeries, valuePart } from './step-series.ts';

/** A read by steps that may be as short as a bucket. Steps are counted from 1970. */
export type StepRead = {
  readonly group: SegmentGroup;
  readonly read: MeterScan;
  readonly stepSeconds: number;
};

/** A block with readings; `step`: the start of the step that it lies in. */
type StepBlock = { readonly step: number; readonly block: KnownBlock };

/** A segment's blocks for a read, in time order. */
export type SegmentSteps = {
  readonly segment: ScopedSegment;
  readonly blocks: readonly StepBlock[];
};

type Planned = {
  readonly each: StepRead;
  readonly segment: ScopedSegment;
  readonly steps: readonly StepRuns[];
};

/** Reads the blocks of any number of reads and the keys of their segments in one statement. */
export async function readStepBlocks(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  reads: readonly StepRead[],
  deadline: Deadline | null,
): Promise<{ readonly keys: SegmentKeys; readonly steps: readonly SegmentSteps[][] }> {
  const planned = reads.map((each) => plan(live, each));
  const requests = new SectionRequests();
  const keys = new SegmentKeys(reader);
  const blocks = new SegmentBlocks(reader);
  for (const { each, segment, steps } of planned.flat()) {
    keys.request(each.group, segment, requests);
    for (const run of steps.flatMap(({ runs }) => runs)) {
      blocks.request(segment, run, each.read, requests);
    }
  }
  const sectionsOf = await requests.read(reader, deadline);
  // Blocks first: a thread decodes them meanwhile.
  await Promise.all([blocks.decode(sectionsOf), keys.decode(sectionsOf)]);
  const steps = planned.map((parts) => parts.map((part) => stepsOf(part, blocks)));
  return { keys, steps };
}

function plan(live: readonly ScopedSegment[], each: StepRead): Planned[] {
  const { read, stepSeconds } = each;
  return live
    .filter((segment) => overlaps(segment, read))
    .map((segment) => {
      const steps = coverSteps(read.interval, timeOf(segment, read), stepSeconds);
      return { each, segment, steps };
    });
}

function stepsOf({ each, segment, steps }: Planned, blocks: SegmentBlocks): SegmentSteps {
  const found = steps.flatMap(({ step, runs }) =>
    runs
      .flatMap((run) => [...blocks.of(segment, run, each.read)])
      .map((block) => ({ step, block })),
  );
  return { segment, blocks: found };
}

/** One key's readings by steps shorter than those of its series; key in raw form. */
type FineStepsRequest = StepRead & { readonly key: string };

/** Reads the steps of any number of keys from blocks, in the order of the requests. */
export async function readFineSteps(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  requests: readonly FineStepsRequest[],
  deadline: Deadline | null,
): Promise<StepSeries[]> {
  const grids = [...groupBy(requests, gridName).values()];
  const firsts = grids.map(([first]) => first as FineStepsRequest);
  const { keys, steps } = await readStepBlocks(reader, live, firsts, deadline);
  const found = new Map<FineStepsRequest, StepSeries>();
  for (const [i, ofGrid] of grids.entries()) {
    for (const request of ofGrid) {
      const parts = (steps[i] ?? []).flatMap((part) =>
        partsOf(request, part, keys.of(part.segment)),
      );
      const { stepSeconds, read } = request;
      found.set(
        request,
        new StepSeries({ origin: originOf(request), stepSeconds }, parts, read.aggregate),
      );
      await reader.pause();
    }
  }
  return requests.map((request) => found.get(request) as StepSeries);
}

const gridName = ({ read, stepSeconds }: FineStepsRequest): string =>
  `${nameOfRead(read)} ${stepSeconds}`;

const originOf = ({ read, stepSeconds }: StepRead): number =>
  floorTo(read.interval.from, stepSeconds);

function partsOf(request: FineStepsRequest, { blocks }: SegmentSteps, keys: KeyList): SeriesPart[] {
  const { group, key, stepSeconds } = request;
  const bytes = group.codec.encodeIfKey(key);
  const position = bytes && findKey(keys, bytes);
  if (!position?.isThere) return [];
  return blocks.flatMap(({ step, block: { ids, column } }) => {
    const row = rowOf(ids, position.ordinal);
    if (column === null || row < 0 || Number.isNaN(column.values.low[row])) return [];
    const sum = laneValue(column.values, row);
    const count = column.counts === null ? 1n : laneValue(column.counts, row);
    return [valuePart((step - originOf(request)) / stepSeconds, { sum, count })];
  });
}
