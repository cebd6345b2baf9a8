import { ceilTo, floorTo, type Interval } from '../../domain/time/interval.ts';
import { type BucketSpan, WHOLE_SPAN } from '../../segments/blocks/levels.ts';
import { type BlockRun, type Cover, coverInterval } from './cover.ts';

/** What a segment has blocks of. */
export type SegmentBlocks = {
  readonly span: BucketSpan;
  readonly bucketSeconds: number;
  /** Seconds of a block, ascending; of more than one bucket the last is WHOLE_SPAN. */
  readonly levels: readonly number[];
};

const NOTHING: Cover = { runs: [], less: [] };

/**
 * Few blocks of a segment that hold exactly its buckets that start in an interval. Where the
 * interval holds all of them, that is the block of the whole span; where it leaves out little, that
 * block less what is left out, if readings can be taken out again (of sums they can).
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
  // The whole alone is as much work: a short interval needs no second look.
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

/** By blocks of steps. Beyond the segment's ends there is nothing, so a block there is as good. */
function coverPart({ from, to }: Interval, segment: SegmentBlocks, canSubtract: boolean): Cover {
  const { span, bucketSeconds, levels } = segment;
  if (from >= to) return NOTHING;
  const base = levels.filter((seconds) => seconds !== WHOLE_SPAN);
  const coarsest = base.at(-1) ?? bucketSeconds;
  const wide = {
    from: from === span.first ? floorTo(from, coarsest) : from,
    to: to === span.last + bucketSeconds ? ceilTo(to, coarsest) : to,
  };
  // Of these levels every block can be used: one that is not there has no readings.
  return coverInterval(wide, base, canSubtract);
}

/** A block of twice the time has less than twice the keys, as most are in both halves. */
export const weightOf = ({ runs, less }: Cover): number =>
  [...runs, ...less].reduce((sum, { level, from, to }) => {
    if (level === WHOLE_SPAN) return sum + Math.sqrt(to - from);
    return sum + ((to - from) / level) * Math.sqrt(level);
  }, 0);

/**
 * The blocks of a segment that hold exactly its buckets that start in an interval, none of which
 * begins in one step and ends in another. Steps are counted from 1970.
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
