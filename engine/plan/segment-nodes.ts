import type { LiveSegments, RollUp, StoredSegment } from '../../store/read/manifest.ts';
import { ALL_PROBES } from '../../store/roll-up/plan-roll-up.ts';
import { isOfRead } from './is-of-read.ts';
import type { MeterRead } from './meter-read.ts';

/** A segment, or a roll-up with the nodes of its sources, in their order. */
export type SegmentNode =
  | { readonly segment: StoredSegment; readonly sources: null }
  | { readonly segment: RollUp; readonly sources: readonly SegmentNode[] };

/**
 * Returns the segments of a read's group and probe that have buckets in its interval, each once:
 * below a roll-up, or by itself. If a segment is in several roll-ups, the one with the most
 * segments is used.
 */
export function segmentNodes({ segments, rollUps }: LiveSegments, read: MeterRead): SegmentNode[] {
  const leaves = segments.filter((segment) => isOfRead(segment, read));
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
function usableRollUps(rollUps: readonly RollUp[], read: MeterRead): readonly RollUp[] {
  const usable = rollUps.filter((rollUp) => isOfRead(rollUp, read));
  const ofAll = usable.filter(({ probeId }) => probeId === ALL_PROBES);
  return ofAll.length > 0 ? ofAll : usable;
}

const leafOf = (segment: StoredSegment): SegmentNode => ({ segment, sources: null });

/** leafIds: the ids of all segments below. */
type Tree = { readonly node: SegmentNode; readonly leafIds: readonly number[] };

type Known = {
  readonly own: ReadonlyMap<number, StoredSegment>;
  readonly made: ReadonlyMap<number, RollUp>;
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
