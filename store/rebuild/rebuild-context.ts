import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { lockContext } from '../../db/connection/lock-context.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import { repairCoverage, selectWrongCoverage } from '../../db/sql/coverage.ts';
import { deleteSweptPages, selectStrayPages } from '../../db/sql/pages.ts';
import { LIMITS } from '../../domain/limits.ts';
import { NO_SLICE } from '../../domain/slices/segment-level.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { type Difference, Differences } from '../check/differences.ts';
import { isLeftOver } from '../check/misplacement.ts';
import { loadStoreNames, type StoreNames } from '../check/store-names.ts';
import { mergeContext } from '../merge/merge-context.ts';
import { mergePlanned, type PlannedMerge } from '../merge/merge-planned.ts';
import { publishSegments } from '../publish/publish-segments.ts';
import { loadManifest, type Manifest, type RollUp, type StoredSegment } from '../read/manifest.ts';
import { MissingPages } from '../read/missing-pages.ts';
import { loadShapes } from '../shapes/load-shapes.ts';

type RebuildTarget = {
  readonly databaseUrl: string;
  readonly context: string;
  /** The clock, epoch seconds. */
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Called before waiting for a process that merges or imports. */
  readonly onWaiting?: () => void;
  /** Called after each segment. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly of: number }) => void;
};

export type RebuildReport = {
  readonly context: string;
  /** Segments that were rewritten. */
  readonly segments: number;
  readonly samples: number;
  /** Of the rewritten segments. */
  readonly bytes: number;
  /** Segments of slices that are gone, and roll-ups of such segments: taken out of use. */
  readonly leftOver: number;
  /** Roll-ups that were rebuilt. */
  readonly rollUps: number;
  /** Rows of coverage that were wrong. */
  readonly coverage: number;
  /** What could not be rebuilt. */
  readonly damaged: readonly Difference[];
};

type Rebuilding = RebuildTarget & {
  readonly connection: Connection;
  readonly contextId: number;
  readonly manifest: Manifest;
  readonly names: StoreNames;
};

/**
 * Rebuilds everything that is derived. Each segment is rewritten from its keys and tiles, in a
 * transaction of its own, and replaces the old one, as in a merge: readers and imports continue,
 * and if this is stopped at any point, the stored data are whole. Roll-ups die with what they were
 * made of and are rebuilt, and coverage is set to what the segments say. A segment whose keys or
 * tiles are damaged is left as it is, and reported.
 */
export const rebuildContext = (target: RebuildTarget): Promise<RebuildReport> =>
  withConnection(target, 'rebuild', async (connection) => {
    const { contextId } = await existingContext(connection, target.context);
    const manifest = await loadManifest(copiesOf(connection), { contextId });
    if (!manifest) throw new Error(`the context ${target.context} was just removed`);
    const names = await loadStoreNames(connection, contextId);
    const rebuilding = { ...target, connection, contextId, manifest, names };
    const leftOver = await removeLeftOver(rebuilding);
    const done = await rebuildSegments(rebuilding);
    const rollUps = await rebuildRollUps(rebuilding);
    const coverage = await rebuildCoverage(rebuilding);
    const strays = await selectStrayPages(connection, [NO_SLICE, ...names.slices.keys()]);
    await deleteSweptPages(
      connection,
      strays.filter(({ isBeyond }) => !isBeyond),
    );
    return { context: target.context, ...done, leftOver, rollUps, coverage };
  });

/** Removes live segments whose slice was dropped or archived, and roll-ups of what is gone. */
async function removeLeftOver(rebuilding: Rebuilding): Promise<number> {
  const { connection, contextId, manifest, names, now } = rebuilding;
  const removed = [
    ...[...manifest.segments.values()].filter((segment) => isLeftOver(segment, names.slices)),
    ...[...manifest.rollUps.values()].filter((rollUp) => !hasSources(rollUp, manifest)),
  ].map(({ segmentId }) => segmentId);
  if (removed.length === 0) return 0;
  await inTransaction(connection, () =>
    publishSegments(connection, { contextId, changes: 'data', added: [], removed, at: now() }),
  );
  return removed.length;
}

const hasSources = ({ sources }: RollUp, { segments, rollUps }: Manifest): boolean =>
  sources.every((segmentId) => segments.has(segmentId) || rollUps.has(segmentId));

async function rebuildSegments(
  rebuilding: Rebuilding,
): Promise<Pick<RebuildReport, 'segments' | 'samples' | 'bytes' | 'damaged'>> {
  const { manifest, names, signal, onProgress } = rebuilding;
  const segments = [...manifest.segments.values()].filter(
    (segment) => !isLeftOver(segment, names.slices),
  );
  const of = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const done = { segments: 0, samples: 0, bytes: 0 };
  const damaged = new Differences();
  let current = manifest;
  let read = 0;
  for (const segment of segments) {
    signal?.throwIfAborted();
    try {
      current = (await newerManifest(rebuilding, current)) ?? current;
      const written = await rebuildSegment({ ...rebuilding, manifest: current }, segment);
      done.segments += written ? 1 : 0;
      done.samples += written?.rowCount ?? 0;
      done.bytes += written?.sizeBytes ?? 0;
    } catch (error) {
      const isDamage = error instanceof DamagedSegment || error instanceof MissingPages;
      if (!isDamage) throw error;
      damaged.add(names.subjectOf(segment), error.message);
    }
    read += segment.sizeBytes;
    onProgress?.({ bytes: read, of });
  }
  return { ...done, damaged: damaged.kept };
}

/** Loads a newer manifest. The newer `since` is, the less has to be read. */
const newerManifest = ({ connection, contextId }: Rebuilding, since: Manifest) =>
  loadManifest(copiesOf(connection), { contextId, since });

/** Returns the segment written in its place; null if another merge has already replaced it. */
async function rebuildSegment(
  { connection, manifest, signal, now, onWaiting }: Rebuilding,
  segment: StoredSegment,
) {
  const { groupId, sliceId, level } = segment;
  // The directory has a digest; the row of the manifest has none.
  const { first, last } = segment.directory().span;
  const inputs = [{ ...segment, firstBucket: first, lastBucket: last }];
  const planned: PlannedMerge = { manifest, groupId, sliceId, plan: { inputs, level } };
  const shapes = await loadShapes(connection, manifest.contextId);
  let isWaiting = false;
  for (;;) {
    const outcome = await mergePlanned(connection, planned, { now, shapes });
    if (outcome === 'stale') return null;
    if (outcome !== 'busy') return outcome;
    if (!isWaiting) onWaiting?.();
    isWaiting = true;
    await sleep(LIMITS.mergeCheckMs, undefined, { signal });
  }
}

/** Rebuilds roll-ups, after merges that are due. Damage was reported before. */
async function rebuildRollUps(rebuilding: Rebuilding): Promise<number> {
  const { connection, contextId, now, signal } = rebuilding;
  let count = 0;
  await mergeContext(connection, {
    contextId,
    now,
    signal,
    onRolledUp() {
      count += 1;
    },
    onDamaged() {},
  });
  return count;
}

/** Returns how many rows were wrong. */
async function rebuildCoverage({
  connection,
  contextId,
  onWaiting = () => {},
}: Rebuilding): Promise<number> {
  if ((await selectWrongCoverage(connection, contextId)).length === 0) return 0;
  return inTransaction(connection, async () => {
    // A running import has written coverage of segments that are not published yet.
    await lockContext(connection, contextId, onWaiting);
    const wrong = await selectWrongCoverage(connection, contextId);
    await repairCoverage(connection, wrong);
    return wrong.length;
  });
}
