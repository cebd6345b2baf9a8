import { groupBy } from '../../domain/group-by.ts';
import type { Interval } from '../../domain/time/interval.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { ALL_PROBES } from '../../store/roll-up/plan-roll-up.ts';
import {
  type Cover,
  coverSegment,
  type SegmentTime,
  spanRun,
  weightOf,
} from '../kernel/cover/cover.ts';
import type { BlockQuestion, SegmentGroup, SegmentQuestion } from './key-questions.ts';
import { type MeterScan, nameOfRead, overlaps } from './meter-scan.ts';
import type { ScopedRollUp, ScopedSegment, ScopedSegments } from './scoped-segment.ts';

/** A roll-up, and the index of a source that is read. */
export type RollUpStep = { readonly rollUp: ScopedRollUp; readonly source: number };

/** A segment or roll-up, and the blocks of it that are read. */
export type SegmentPart = {
  readonly segment: ScopedSegment;
  readonly cover: Cover;
  /** The steps from a roll-up that is also read down to the one that has this segment as source. */
  readonly above: readonly RollUpStep[];
};

export function timeOf(
  segment: ScopedSegment,
  { bucketSeconds }: Pick<MeterScan, 'bucketSeconds'>,
): SegmentTime {
  const { span, tileSeconds } = segment.directory();
  return { span, bucketSeconds, tileSeconds };
}

/**
 * Returns blocks that together hold exactly the buckets of a read's interval, group and probe. For
 * a roll-up, that is the block of its whole span, minus what lies outside the interval, if that is
 * less work than the blocks of its sources and readings can be subtracted (those of sums can).
 */
export function planSegments(live: ScopedSegments, read: MeterScan): SegmentPart[] {
  const covering = {
    interval: read.interval,
    read,
    canSubtract: isCounting(read.aggregate),
    above: [],
  };
  const parts = segmentNodes(live, read).flatMap((node) => coverNode(node, covering).parts);
  // Networks are formed from each segment's own keys, so keys of roll-ups are not needed.
  return read.prefix === null ? parts : parts.map((part) => ({ ...part, above: [] }));
}

type CoverQuestion = Pick<SegmentPart, 'above'> & {
  readonly interval: Interval;
  readonly read: MeterScan;
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
  const cover: Cover = { runs: [run], subtract: [] };
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
    cover: { runs: cover.subtract, subtract: cover.runs },
    above,
  })),
  weight,
});

/** A segment, or a roll-up with the nodes of its sources, in their order. */
type SegmentNode =
  | { readonly segment: ScopedSegment; readonly sources: null }
  | { readonly segment: ScopedRollUp; readonly sources: readonly SegmentNode[] };

/**
 * Returns the segments of a read's group and probe that have buckets in its interval, each once:
 * below a roll-up, or by itself. If a segment is in several roll-ups, the one with the most
 * segments is used.
 */
function segmentNodes({ segments, rollUps }: ScopedSegments, read: MeterScan): SegmentNode[] {
  const leaves = segments.filter((segment) => overlaps(segment, read));
  const usable = usableRollUps(rollUps, read);
  if (usable.length === 0) return leaves.map(leafOf);
  const known = new Map<number, Tree>();
  const own = new Map(segments.map((segment) => [segment.segmentId, segment]));
  const made = new Map(rollUps.map((rollUp) => [rollUp.segmentId, rollUp]));
  const trees = usable.flatMap((rollUp) => treeOf(rollUp.segmentId, { own, made, known }) ?? []);
  const taken = new Set<number>();
  const nodes: SegmentNode[] = [];
  for (const { node, leafIds } of trees.sort((a, b) => b.leafIds.length - a.leafIds.length)) {
    if (leafIds.some((id) => taken.has(id))) continue;
    for (const id of leafIds) taken.add(id);
    nodes.push(node);
  }
  return [...nodes, ...leaves.filter(({ segmentId }) => !taken.has(segmentId)).map(leafOf)];
}

/** If there are roll-ups of all probes together, those of single probes are not needed. */
function usableRollUps(rollUps: readonly ScopedRollUp[], read: MeterScan): readonly ScopedRollUp[] {
  const usable = rollUps.filter((rollUp) => overlaps(rollUp, read));
  const ofAll = usable.filter(({ probeId }) => probeId === ALL_PROBES);
  return ofAll.length > 0 ? ofAll : usable;
}

const leafOf = (segment: ScopedSegment): SegmentNode => ({ segment, sources: null });

/** leafIds: the ids of all segments below. */
type Tree = { readonly node: SegmentNode; readonly leafIds: readonly number[] };

type Known = {
  readonly own: ReadonlyMap<number, ScopedSegment>;
  readonly made: ReadonlyMap<number, ScopedRollUp>;
  readonly known: Map<number, Tree>;
};

/** Returns null if one of its sources is no longer live. */
function treeOf(segmentId: number, { own, made, known }: Known): Tree | null {
  const found = known.get(segmentId);
  if (found) return found;
  const segment = own.get(segmentId);
  if (segment) return { node: leafOf(segment), leafIds: [segmentId] };
  const rollUp = made.get(segmentId);
  const trees = rollUp?.sources.map((id) => treeOf(id, { own, made, known })) ?? [];
  if (!rollUp || !trees.every((tree) => tree !== null)) return null;
  const sources = trees.map(({ node }) => node);
  const tree: Tree = {
    node: { segment: rollUp, sources },
    leafIds: trees.flatMap(({ leafIds }) => leafIds),
  };
  known.set(segmentId, tree);
  return tree;
}

/** A read, the segments that it needs, and all its questions. */
export type ScanPlan = {
  readonly group: SegmentGroup;
  readonly read: MeterScan;
  readonly parts: readonly SegmentPart[];
  /** The segments of the window that it is compared with, if any. */
  readonly since: readonly SegmentPart[];
  readonly questions: readonly SegmentQuestion[];
};

/** The segments and blocks that answer the questions, by read. */
export const planQuestions = (
  live: ScopedSegments,
  questions: readonly SegmentQuestion[],
): ScanPlan[] => [...groupBy(questions, readName).values()].map((ofRead) => plan(live, ofRead));

const readName = ({ read, question }: SegmentQuestion): string => {
  const name = nameOfRead(read);
  const since = sinceOf(question);
  return since ? `${name} since ${since.from} ${since.to}` : name;
};

const sinceOf = (question: BlockQuestion) => (question.kind === 'changes' ? question.since : null);

function plan(live: ScopedSegments, questions: readonly SegmentQuestion[]): ScanPlan {
  const [first] = questions;
  if (!first) throw new Error('a read without questions');
  const { group, read } = first;
  const interval = sinceOf(first.question);
  const since = interval ? planSegments(live, { ...read, interval }) : [];
  return { group, read, parts: planSegments(live, read), since, questions };
}
