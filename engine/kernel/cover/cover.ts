import { ceilTo, clippedSteps, floorTo, type Interval } from '../../../domain/time/interval.ts';
import type { BucketSpan } from '../../../segments/span.ts';
import { tileOf } from '../../../segments/tiles/tile-seconds.ts';

/**
 * Consecutive blocks of a segment, from `from` to before `to`, of `seconds` each: the block of its
 * whole span, whole tiles, or a part of one tile.
 */
export type BlockRun = Interval & {
  readonly kind: 'span' | 'tiles' | 'part';
  readonly seconds: number;
};

/** Blocks to add, and blocks to subtract. */
export type Cover = { readonly runs: readonly BlockRun[]; readonly subtract: readonly BlockRun[] };

/** What a segment's blocks depend on. */
export type SegmentTime = {
  readonly span: BucketSpan;
  readonly bucketSeconds: number;
  readonly tileSeconds: number;
};

/** A run whose blocks are added (1) or subtracted (−1). */
type SignedRun = { readonly run: BlockRun; readonly sign: 1 | -1 };

export const signedRuns = ({ runs, subtract }: Cover): SignedRun[] => [
  ...runs.map((run): SignedRun => ({ run, sign: 1 })),
  ...subtract.map((run): SignedRun => ({ run, sign: -1 })),
];

/** Returns the number of blocks in a run. */
export const blocksIn = ({ seconds, from, to }: BlockRun): number => (to - from) / seconds;

/** Returns the starts of the blocks in a run. */
export function* blockStarts({ seconds, from, to }: BlockRun): Generator<number> {
  for (let start = from; start < to; start += seconds) yield start;
}

export const spanRun = ({ from, to }: Interval): BlockRun => ({
  kind: 'span',
  seconds: to - from,
  from,
  to,
});

/**
 * Returns a small number of blocks that hold exactly the segment's buckets that start in an
 * interval. If the interval contains all buckets, that is the block of the whole span. If it leaves
 * out few, that is the same block minus the rest, provided that readings can be subtracted (those
 * of sums can). Within a tile nothing is subtracted: any part of it is the same work.
 */
export function coverSegment(
  interval: Interval,
  segment: SegmentTime,
  canSubtract: boolean,
): Cover {
  const whole = wholeOf(segment);
  const { from, to } = clip(interval, segment);
  if (from >= to) return { runs: [], subtract: [] };
  const span = spanRun(whole);
  if (from === whole.from && to === whole.to) return { runs: [span], subtract: [] };
  const part: Cover = { runs: coverPart({ from, to }, segment), subtract: [] };
  if (!canSubtract) return part;
  const rest = [
    { from: whole.from, to: from },
    { from: to, to: whole.to },
  ];
  const without: Cover = {
    runs: [span],
    subtract: rest.flatMap((each) => coverPart(each, segment)),
  };
  return weightOf(without, segment) < weightOf(part, segment) ? without : part;
}

/** The blocks of a step; its start is counted from 1970. */
export type StepRuns = { readonly step: number; readonly runs: readonly BlockRun[] };

/**
 * Returns blocks that hold exactly the segment's buckets that start in an interval, by step: a
 * multiple of the buckets, counted from 1970. No block begins in one step and ends in another.
 */
export const coverSteps = (
  interval: Interval,
  segment: SegmentTime,
  stepSeconds: number,
): StepRuns[] =>
  clippedSteps(clip(interval, segment), stepSeconds).map((step) => ({
    step: floorTo(step.from, stepSeconds),
    runs: coverPart(step, segment),
  }));

/** All buckets of a segment. */
const wholeOf = ({ span, bucketSeconds }: SegmentTime): Interval => ({
  from: span.first,
  to: span.last + bucketSeconds,
});

/** Returns the buckets of a segment that start in an interval. */
function clip(interval: Interval, segment: SegmentTime): Interval {
  const { bucketSeconds } = segment;
  const whole = wholeOf(segment);
  return {
    from: Math.max(ceilTo(interval.from, bucketSeconds), whole.from),
    to: Math.min(ceilTo(interval.to, bucketSeconds), whole.to),
  };
}

/** Covers some buckets of a segment by tiles, and by parts of the tiles that they cut. */
function coverPart({ from, to }: Interval, segment: SegmentTime): BlockRun[] {
  if (from >= to) return [];
  const { bucketSeconds, tileSeconds } = segment;
  const whole = wholeOf(segment);
  const first = tileOf(from, tileSeconds);
  const last = tileOf(to - bucketSeconds, tileSeconds);
  const cutsFirst = from > whole.from && tileOf(from - bucketSeconds, tileSeconds) === first;
  const cutsLast = to < whole.to && tileOf(to, tileSeconds) === last;
  if (first === last && (cutsFirst || cutsLast)) return [partRun(from, to)];
  const begin = cutsFirst ? first + tileSeconds : first;
  const end = cutsLast ? last : last + tileSeconds;
  const runs: BlockRun[] = [];
  if (cutsFirst) runs.push(partRun(from, ceilTo(begin, bucketSeconds)));
  if (begin < end) runs.push({ kind: 'tiles', seconds: tileSeconds, from: begin, to: end });
  if (cutsLast) runs.push(partRun(ceilTo(end, bucketSeconds), to));
  return runs;
}

const partRun = (from: number, to: number): BlockRun => ({
  kind: 'part',
  seconds: to - from,
  from,
  to,
});

/** A part of a tile takes about as long as so many whole tiles, because it reads all readings. */
const PART_WORK = 3;

/**
 * Estimates the work of a cover. A block of twice the length has less than twice the keys, because
 * most keys are in both halves. How much less depends on the traffic, which is not known here.
 */
export function weightOf({ runs, subtract }: Cover, segment: SegmentTime): number {
  const { from, to } = wholeOf(segment);
  const ofTile = Math.sqrt(Math.min(segment.tileSeconds, to - from));
  return [...runs, ...subtract].reduce((sum, run) => {
    if (run.kind === 'span') return sum + Math.sqrt(run.seconds);
    return sum + ofTile * (run.kind === 'part' ? PART_WORK : blocksIn(run));
  }, 0);
}
