import type { Deadline } from '../../db/session/read-session.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import type { KnownBlock } from '../cache/segment-memory.ts';
import { SegmentBlocks } from '../fetch/segment-blocks.ts';
import { coverSteps, type StepRuns } from '../kernel/cover/cover.ts';
import { SegmentKeys } from '../keys/segment-keys.ts';
import { isOfRead } from '../plan/is-of-read.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import type { MeterRead } from '../plan/meter-read.ts';
import { timeOf } from '../plan/plan-segments.ts';
import { SectionRequests, type SegmentReader } from '../snapshot/segment-reader.ts';

/** A read by steps that may be as short as a bucket. Steps are counted from 1970. */
export type StepRead = {
  readonly group: SegmentGroup;
  readonly read: MeterRead;
  readonly stepSeconds: number;
};

/** A block with readings; `step`: the start of the step that it lies in. */
type StepBlock = { readonly step: number; readonly block: KnownBlock };

/** A segment's blocks for a read, in time order. */
export type SegmentSteps = {
  readonly segment: StoredSegment;
  readonly blocks: readonly StepBlock[];
};

type Planned = {
  readonly each: StepRead;
  readonly segment: StoredSegment;
  readonly steps: readonly StepRuns[];
};

/** Reads the blocks of any number of reads and the keys of their segments in one statement. */
export async function readStepBlocks(
  reader: SegmentReader,
  live: readonly StoredSegment[],
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

function plan(live: readonly StoredSegment[], each: StepRead): Planned[] {
  const { read, stepSeconds } = each;
  return live
    .filter((segment) => isOfRead(segment, read))
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
