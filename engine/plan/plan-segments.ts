import type { Interval } from '../../domain/time/interval.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import type { LiveSegments, RollUp, StoredSegment } from '../../store/read/manifest.ts';
import {
  type Cover,
  coverSegment,
  type SegmentTime,
  spanRun,
  weightOf,
} from '../kernel/cover/cover.ts';
import type { MeterRead } from './meter-read.ts';
import { type SegmentNode, segmentNodes } from './segment-nodes.ts';

/** A roll-up, and the index of a source that is read. */
export type RollUpStep = { readonly rollUp: RollUp; readonly source: number };

/** A segment or roll-up, and the blocks of it that are read. */
export type SegmentPart = {
  readonly segment: StoredSegment;
  readonly cover: Cover;
  /** The steps from a roll-up that is also read down to the one that has this segment as source. */
  readonly above: readonly RollUpStep[];
};

export function timeOf(
  segment: StoredSegment,
  { bucketSeconds }: Pick<MeterRead, 'bucketSeconds'>,
): SegmentTime {
  const { span, tileSeconds } = segment.directory();
  return { span, bucketSeconds, tileSeconds };
}

/**
 * Returns blocks that together hold exactly the buckets of a read's interval, group and probe. For
 * a roll-up, that is the block of its whole span, minus what lies outside the interval, if that is
 * less work than the blocks of its sources and readings can be subtracted (those of sums can).
 */
export function planSegments(live: LiveSegments, read: MeterRead): SegmentPart[] {
  const covering = { interval: read.interval, read, canSubtract: isCounting(read.fold), above: [] };
  const parts = segmentNodes(live, read).flatMap((node) => coverNode(node, covering).parts);
  // Networks are formed from each segment's own keys, so keys of roll-ups are not needed.
  return read.prefix === null ? parts : parts.map((part) => ({ ...part, above: [] }));
}

type CoverQuestion = Pick<SegmentPart, 'above'> & {
  readonly interval: Interval;
  readonly read: MeterRead;
  readonly canSubtract: boolean;
};

type NodeCover = { readonly parts: readonly SegmentPart[]; readonly weight: number };

const NOTHING: NodeCover = { parts: [], weight: 0 };

function coverNode(node: SegmentNode, question: CoverQuestion): NodeCover {
  const { segment, sources } = node;
  const { interval, read, canSubtract, above } = question;
  if (segment.lastBucket < interval.from || segment.firstBucket >= interval.to) return NOTHING;
  if (sources === null) {
    const time = timeOf(segment, read);
    const cover = coverSegment(interval, time, canSubtract);
    if (cover.runs.length === 0) return NOTHING;
    return { parts: [{ segment, cover, above }], weight: weightOf(cover, time) };
  }
  const end = segment.lastBucket + read.bucketSeconds;
  const run = spanRun({ from: segment.firstBucket, to: end });
  const cover: Cover = { runs: [run], less: [] };
  const whole = {
    parts: [{ segment, cover, above }],
    weight: weightOf(cover, timeOf(segment, read)),
  };
  // A bucket is read if it begins in the interval, so the last one may end outside it.
  if (interval.from <= segment.firstBucket && segment.lastBucket < interval.to) return whole;
  const below = (number: number): RollUpStep[] => [...above, { rollUp: segment, source: number }];
  const apart = together(
    sources.map((source, number) =>
      coverNode(source, { ...question, above: above.length === 0 ? above : below(number) }),
    ),
  );
  if (!canSubtract) return apart;
  const outside = [
    { from: segment.firstBucket, to: interval.from },
    { from: interval.to, to: end },
  ].filter(({ from, to }) => from < to);
  const rest = sources.flatMap((source, number) =>
    outside.map((each) =>
      takenOut(coverNode(source, { ...question, interval: each, above: below(number) })),
    ),
  );
  const without = together([whole, ...rest]);
  return without.weight < apart.weight ? without : apart;
}

const together = (covers: readonly NodeCover[]): NodeCover => ({
  parts: covers.flatMap(({ parts }) => parts),
  weight: covers.reduce((sum, { weight }) => sum + weight, 0),
});

const takenOut = ({ parts, weight }: NodeCover): NodeCover => ({
  parts: parts.map(({ segment, cover, above }) => ({
    segment,
    cover: { runs: cover.less, less: cover.runs },
    above,
  })),
  weight,
});
