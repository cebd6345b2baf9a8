import type { Connection } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { selectSegmentSlices } from '../../db/write/segments/select-segment-slices.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { loadManifest, type Manifest, type StoredSegment } from '../read/manifest.ts';
import { makeRollUp } from '../roll-up/make-roll-up.ts';
import { planRollUp, type RollUpTimes } from '../roll-up/plan-roll-up.ts';
import type { WrittenSegment } from '../write/write-segment.ts';
import { mergePlanned, type PlannedMerge } from './merge-planned.ts';
import { type MergePlan, planMerge, SEAL_AFTER_SECONDS } from './plan-merge.ts';

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
  /** Told of each roll-up when it is committed. */
  readonly onRolledUp?: (segment: WrittenSegment) => void;
  /**
   * Told of a merge that met damage: what it would have merged is left alone, and the others go on.
   * Without it, damage is an error.
   */
  readonly onDamaged?: (error: DamagedSegment, inputs: readonly StoredSegment[]) => void;
};

/** done: nothing is left to merge. busy: another process merges segments of this context. */
export type MergeOutcome = 'done' | 'busy';

/**
 * Merges segments of a context until there is nothing to do, and then makes its roll-ups, each in a
 * transaction of its own. It takes no lock that an import waits for, but that of the context's
 * numbers at the end of each, and may be cut off anywhere: what was committed stays, the rest is as
 * it was.
 */
export const mergeContext = (
  connection: Connection,
  options: MergeOptions,
): Promise<MergeOutcome> =>
  workThrough(
    connection,
    options,
    (manifest, damaged, times) =>
      nextMerge(manifest, damaged, times) ?? nextRollUp(manifest, damaged, times),
  );

/** The same without roll-ups, for who has no time for what others may have left to be done. */
export const mergeSegments = (
  connection: Connection,
  options: MergeOptions,
): Promise<MergeOutcome> => workThrough(connection, options, nextMerge);

async function workThrough(
  connection: Connection,
  options: MergeOptions,
  nextStep: typeof nextMerge,
): Promise<MergeOutcome> {
  const { contextId, signal, now, sealAfterSeconds = SEAL_AFTER_SECONDS } = options;
  const damaged = new Set<string>();
  let manifest: Manifest | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const loaded = await loadManifest(copiesOf(connection), { contextId, since: manifest });
    if (!loaded) return 'done';
    manifest = loaded;
    const slices = await selectSegmentSlices(connection, contextId);
    const time = { slices, now: now(), sealAfterSeconds };
    const next = nextStep(manifest, damaged, time);
    if (!next) return 'done';
    try {
      const outcome = await next.run(connection, options);
      if (outcome === 'busy') return 'busy';
    } catch (error) {
      if (!(error instanceof DamagedSegment) || !options.onDamaged) throw error;
      damaged.add(next.name);
      options.onDamaged(error, next.inputs);
    }
  }
}

/** Something that is to be done; name: the same each time that it is planned. */
type Step = {
  readonly name: string;
  readonly inputs: readonly StoredSegment[];
  readonly run: (
    connection: Connection,
    options: MergeOptions,
  ) => Promise<WrittenSegment | 'busy' | 'stale'>;
};

function nextRollUp(
  manifest: Manifest,
  damaged: ReadonlySet<string>,
  times: RollUpTimes,
): Step | null {
  const plan = planRollUp(manifest, times, damaged);
  return (
    plan && {
      name: plan.name,
      inputs: plan.sources,
      async run(connection, { now, onRolledUp }) {
        const outcome = await makeRollUp(connection, { manifest, plan }, now);
        if (typeof outcome === 'object') onRolledUp?.(outcome);
        return outcome;
      },
    }
  );
}

/** The smallest of all merges that are to be done, but for sets that are known to be damaged. */
function nextMerge(
  manifest: Manifest,
  damaged: ReadonlySet<string>,
  { slices, now, sealAfterSeconds }: RollUpTimes,
): Step | null {
  let next: (PlannedMerge & { readonly name: string }) | null = null;
  for (const { name, groupId, sliceId, segments } of mergeableSets(manifest)) {
    if (damaged.has(name)) continue;
    const endsAt = slices.get(sliceId)?.endsAt ?? Number.POSITIVE_INFINITY;
    const plan = planMerge(segments, { now, sealAfterSeconds, endsAt });
    if (!plan || (next && sizeOf(next.plan) <= sizeOf(plan))) continue;
    next = { manifest, name, groupId, sliceId, plan };
  }
  return next && asStep(next);
}

const asStep = ({ name, ...planned }: PlannedMerge & { readonly name: string }): Step => ({
  name,
  inputs: planned.plan.inputs,
  async run(connection, { now, onMerged }) {
    const outcome = await mergePlanned(connection, planned, now);
    if (typeof outcome === 'object') onMerged?.(outcome, planned.plan);
    return outcome;
  },
});

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
    const name = `slice ${groupId} ${probeId} ${sliceId}`;
    const set = sets.get(name);
    if (set) set.segments.push(segment);
    else sets.set(name, { name, groupId, sliceId, segments: [segment] });
  }
  return sets.values();
}

const sizeOf = ({ inputs }: MergePlan<StoredSegment>): number =>
  inputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
