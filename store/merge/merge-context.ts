import { copiesOf } from '../../db/copy-source.ts';
import type { Connection } from '../../db/write/connection.ts';
import { selectSliceEnds } from '../../db/write/segments/select-slice-ends.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { loadManifest, type Manifest, type StoredSegment } from '../read/manifest.ts';
import type { WrittenSegment } from '../write/write-segment.ts';
import { mergePlanned, type PlannedMerge } from './merge-planned.ts';
import { type MergePlan, type MergeTime, planMerge, SEAL_AFTER_SECONDS } from './plan-merge.ts';

export type MergeOptions = {
  readonly contextId: number;
  /** The clock, epoch seconds. */
  readonly now: () => number;
  /** For how long nothing must have come to a slice that is over before it is sealed. */
  readonly sealAfterSeconds?: number;
  /** Looked at between two merges. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each merge when it is committed. */
  readonly onMerged?: (segment: WrittenSegment, plan: MergePlan<StoredSegment>) => void;
  /**
   * Told of a merge that met damage: what it would have merged is left alone, and the others go on.
   * Without it, damage is an error.
   */
  readonly onDamaged?: (error: DamagedSegment, plan: MergePlan<StoredSegment>) => void;
};

/** done: nothing is left to merge. busy: another process merges segments of this context. */
export type MergeOutcome = 'done' | 'busy';

/**
 * Merges segments of a context until there is nothing to do, each merge in a transaction of its
 * own. It takes no lock that an import waits for, but that of the context's numbers at the end of each,
 * and may be cut off anywhere: what was committed stays, the rest is as it was.
 */
export async function mergeContext(
  connection: Connection,
  options: MergeOptions,
): Promise<MergeOutcome> {
  const { contextId } = options;
  const damaged = new Set<string>();
  let manifest: Manifest | undefined;
  for (;;) {
    options.signal?.throwIfAborted();
    const loaded = await loadManifest(copiesOf(connection), { contextId, since: manifest });
    if (!loaded) return 'done';
    manifest = loaded;
    const endsBySlice = await selectSliceEnds(connection, contextId);
    const { sealAfterSeconds = SEAL_AFTER_SECONDS } = options;
    const time = { endsBySlice, now: options.now(), sealAfterSeconds };
    const next = nextMerge(manifest, damaged, time);
    if (!next) return 'done';
    try {
      const outcome = await mergePlanned(connection, next, options.now);
      if (outcome === 'busy') return 'busy';
      if (outcome !== 'stale') options.onMerged?.(outcome, next.plan);
    } catch (error) {
      if (!(error instanceof DamagedSegment) || !options.onDamaged) throw error;
      damaged.add(next.name);
      options.onDamaged(error, next.plan);
    }
  }
}

/** A merge of one set of segments. */
type NamedMerge = PlannedMerge & { readonly name: string };

type MergeTimes = Omit<MergeTime, 'endsAt'> & {
  readonly endsBySlice: ReadonlyMap<number, number>;
};

/** The smallest of all merges that are to be done, but for sets that are known to be damaged. */
function nextMerge(
  manifest: Manifest,
  damaged: ReadonlySet<string>,
  { endsBySlice, ...time }: MergeTimes,
): NamedMerge | null {
  let next: NamedMerge | null = null;
  for (const { name, groupId, sliceId, segments } of mergeableSets(manifest)) {
    if (damaged.has(name)) continue;
    const endsAt = endsBySlice.get(sliceId) ?? Number.POSITIVE_INFINITY;
    const plan = planMerge(segments, { ...time, endsAt });
    if (!plan || (next && sizeOf(next.plan) <= sizeOf(plan))) continue;
    next = { manifest, name, groupId, sliceId, plan };
  }
  return next;
}

/** Live segments of one group, probe and slice. */
type MergeableSet = {
  readonly name: string;
  readonly groupId: number;
  readonly sliceId: number;
  readonly segments: StoredSegment[];
};

function mergeableSets({ segments }: Manifest): Iterable<MergeableSet> {
  const sets = new Map<string, MergeableSet>();
  for (const segment of segments.values()) {
    const { groupId, probeId, sliceId } = segment;
    const name = `${groupId} ${probeId} ${sliceId}`;
    const set = sets.get(name);
    if (set) set.segments.push(segment);
    else sets.set(name, { name, groupId, sliceId, segments: [segment] });
  }
  return sets.values();
}

const sizeOf = ({ inputs }: MergePlan<StoredSegment>): number =>
  inputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
