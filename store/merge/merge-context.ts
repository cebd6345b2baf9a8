import type { Connection } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { type SegmentSlice, selectSegmentSlices } from '../../db/sql/manifest.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { loadManifest, type Manifest, type StoredSegment } from '../read/manifest.ts';
import { makeRollUp } from '../roll-up/make-roll-up.ts';
import { planRollUp, type RollUpTimes } from '../roll-up/plan-roll-up.ts';
import { loadShapes } from '../shapes/load-shapes.ts';
import type { WrittenSegment } from '../write/write-segment.ts';
import { mergePlanned, type PlannedMerge, type Shapes } from './merge-planned.ts';
import { type MergePlan, planMerge, SEAL_AFTER_SECONDS } from './plan-merge.ts';

export type MergeOptions = {
  readonly contextId: number;
  /** The clock, epoch seconds. */
  readonly now: () => number;
  /** How long a slice that is over must have received nothing before it is sealed. */
  readonly sealAfterSeconds?: number;
  /** Checked between two merges. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each merge is committed. */
  readonly onMerged?: (segment: WrittenSegment, plan: MergePlan<StoredSegment>) => void;
  /** Called after each roll-up is committed. */
  readonly onRolledUp?: (segment: WrittenSegment) => void;
  /**
   * Called when a merge finds damage: its inputs are left alone, and other merges continue. Without
   * this callback, damage is an error.
   */
  readonly onDamaged?: (error: DamagedSegment, inputs: readonly StoredSegment[]) => void;
};

/** done: nothing is left to merge. busy: another process is merging segments of this context. */
export type MergeOutcome = 'done' | 'busy';

/**
 * Merges segments of a context until nothing is left to merge, and then makes its roll-ups, each in
 * a transaction of its own. The only lock it takes that an import waits for is that of the
 * context's numbers, at the end of each transaction. It may be interrupted anywhere: what was
 * committed stays, the rest is unchanged.
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

/** Does the same without roll-ups, for callers with no time to finish the work of others. */
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
  let known: DataOfVersion | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const loaded = await loadManifest(copiesOf(connection), { contextId, since: manifest });
    if (!loaded) return 'done';
    manifest = loaded;
    // Merges change neither slices nor groups, so they are read once, unless data are added.
    if (known?.version !== manifest.version) known = await readData(connection, manifest);
    const { slices, shapes } = known;
    const time = { slices, now: now(), sealAfterSeconds };
    const next = nextStep(manifest, damaged, time);
    if (!next) return 'done';
    try {
      const outcome = await next.run(connection, { ...options, shapes });
      if (outcome === 'busy') return 'busy';
    } catch (error) {
      if (!(error instanceof DamagedSegment) || !options.onDamaged) throw error;
      damaged.add(next.name);
      options.onDamaged(error, next.inputs);
    }
  }
}

/** What a version of the data depends on besides segments. */
type DataOfVersion = {
  readonly version: number;
  readonly slices: ReadonlyMap<number, SegmentSlice>;
  readonly shapes: Shapes;
};

/** Reads it after the manifest, so that it has every slice and meter that the segments have. */
const readData = async (
  connection: Connection,
  { contextId, version }: Manifest,
): Promise<DataOfVersion> => ({
  version,
  slices: await selectSegmentSlices(connection, contextId),
  shapes: await loadShapes(connection, contextId),
});

/** A piece of work. `name` is the same each time it is planned. */
type Step = {
  readonly name: string;
  readonly inputs: readonly StoredSegment[];
  readonly run: (
    connection: Connection,
    options: MergeOptions & { readonly shapes: Shapes },
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

/** Returns the smallest merge that is due, skipping sets that are known to be damaged. */
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
  async run(connection, { now, shapes, onMerged }) {
    const outcome = await mergePlanned(connection, planned, { now, shapes });
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
