import { ceilTo, floorTo, type Interval } from '../../../domain/time/interval.ts';
import { type BucketSpan, WHOLE_SPAN } from '../../../segments/blocks/levels.ts';
import { type BlockRun, type Cover, coverInterval } from './cover.ts';

/** The blocks that a segment has. */
export type SegmentBlocks = {
  readonly span: BucketSpan;
  readonly bucketSeconds: number;
  /** Seconds of a block, ascending; with more than one bucket, the last is WHOLE_SPAN. */
  readonly levels: readonly number[];
};

const NOTHING: Cover = { runs: [], less: [] };

/**
 * Returns a small number of blocks that hold exactly the segment's buckets that start in an
 * interval. If the interval contains all buckets, that is the block of the whole span. If it leaves
 * out few, that is the same block minus the rest, provided that readings can be subtracted (those
 * of sums can).
 */
export function coverSegment(
  interval: Interval,
  segment: SegmentBlocks,
  canSubtract: boolean,
): Cover {
  const { span, bucketSeconds, levels } = segment;
  const end = span.last + bucketSeconds;
  const from = Math.max(ceilTo(interval.from, bucketSeconds), span.first);
  const to = Math.min(ceilTo(interval.to, bucketSeconds), end);
  if (from >= to) return NOTHING;
  const isWhole = from === span.first && to === end;
  const whole: BlockRun | null = levels.includes(WHOLE_SPAN)
    ? { level: WHOLE_SPAN, from: span.first, to: end }
    : null;
  if (isWhole && whole) return { runs: [whole], less: [] };
  const part = coverPart({ from, to }, segment, canSubtract);
  if (!canSubtract || !whole) return part;
  // The whole span alone is at least as much work, so subtracting from it cannot win.
  if (weightOf(part) <= weightOf({ runs: [whole], less: [] })) return part;
  const rest = [
    coverPart({ from: span.first, to: from }, segment, true),
    coverPart({ from: to, to: end }, segment, true),
  ];
  const without: Cover = {
    runs: [whole, ...rest.flatMap(({ less }) => less)],
    less: rest.flatMap(({ runs }) => runs),
  };
  return weightOf(without) < weightOf(part) ? without : part;
}

/** Covers by blocks of steps. There are no readings beyond the segment, so its ends are rounded. */
function coverPart({ from, to }: Interval, segment: SegmentBlocks, canSubtract: boolean): Cover {
  const { span, bucketSeconds, levels } = segment;
  if (from >= to) return NOTHING;
  const base = levels.filter((seconds) => seconds !== WHOLE_SPAN);
  const coarsest = base.at(-1) ?? bucketSeconds;
  const wide = {
    from: from === span.first ? floorTo(from, coarsest) : from,
    to: to === span.last + bucketSeconds ? ceilTo(to, coarsest) : to,
  };
  // Every block of these levels can be used: a block that is not stored has no readings.
  return coverInterval(wide, base, canSubtract);
}

/**
 * Estimates the work of a cover. A block of twice the length has less than twice the keys, because
 * most keys are in both halves.
 */
export const weightOf = ({ runs, less }: Cover): number =>
  [...runs, ...less].reduce((sum, { level, from, to }) => {
    if (level === WHOLE_SPAN) return sum + Math.sqrt(to - from);
    return sum + ((to - from) / level) * Math.sqrt(level);
  }, 0);

/**
 * Returns blocks that hold exactly the segment's buckets that start in an interval. No block begins
 * in one step and ends in another. Steps are counted from 1970.
 */
export function coverSteps(
  interval: Interval,
  segment: SegmentBlocks,
  stepSeconds: number,
): readonly BlockRun[] {
  const { span, bucketSeconds } = segment;
  const levels = segment.levels.filter((seconds) => stepSeconds % seconds === 0);
  const from = Math.max(ceilTo(interval.from, bucketSeconds), span.first);
  const to = Math.min(ceilTo(interval.to, bucketSeconds), span.last + bucketSeconds);
  return coverPart({ from, to }, { ...segment, levels }, false).runs;
}

/** Returns the number of blocks in a run. */
export const blocksIn = ({ level, from, to }: BlockRun): number =>
  level === WHOLE_SPAN ? 1 : (to - from) / level;
