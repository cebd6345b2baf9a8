import { copiesOf } from '../../db/copy-source.ts';
import { pageTableOf } from '../../db/page-tables.ts';
import { type Connection, inTransaction } from '../../db/write/connection.ts';
import { ensurePagePartition } from '../../db/write/segments/page-partitions.ts';
import { tryLockMerges } from '../../db/write/segments/try-lock-merges.ts';
import { SegmentsGone } from '../publish/segments-gone.ts';
import { loadManifest, type Manifest, type StoredSegment } from '../read/manifest.ts';
import { MissingPages } from '../read/missing-pages.ts';
import { loadShapes } from '../shapes/load-shapes.ts';
import { MissingPartition } from '../write/missing-partition.ts';
import type { WrittenSegment } from '../write/write-segment.ts';
import type { MergePlan } from './plan-merge.ts';
import { runMerge } from './run-merge.ts';

/** A merge, and the manifest that it was planned with. */
export type PlannedMerge = {
  readonly manifest: Manifest;
  readonly groupId: number;
  readonly sliceId: number;
  readonly plan: MergePlan<StoredSegment>;
};

/**
 * Does a merge in a transaction of its own. busy: another process merges segments of the context.
 * stale: others have changed something since it was planned. In both cases nothing was done.
 * Errors: DamagedSegment, MissingPages.
 */
export async function mergePlanned(
  connection: Connection,
  { manifest, groupId, sliceId, plan }: PlannedMerge,
  now: () => number,
): Promise<WrittenSegment | 'busy' | 'stale'> {
  const { contextId } = manifest;
  await ensurePagePartition(connection, pageTableOf(plan.level), sliceId);
  try {
    return await inTransaction(connection, async () => {
      if (!(await tryLockMerges(connection, contextId))) return 'busy';
      if (!(await areAlive(connection, manifest, plan))) return 'stale';
      // Read after the manifest, so it has all meters that the inputs have.
      const shape = (await loadShapes(connection, contextId)).get(groupId);
      if (!shape) throw new Error(`the group ${groupId} of a segment is gone`);
      return runMerge(connection, { contextId, plan, shape, now });
    });
  } catch (error) {
    if (error instanceof SegmentsGone || error instanceof MissingPartition) return 'stale';
    // A slice that is archived or dropped meanwhile takes its pages along.
    const isGone = error instanceof MissingPages && !(await areAlive(connection, manifest, plan));
    if (isGone) return 'stale';
    throw error;
  }
}

/** Whether all inputs of a plan for a manifest still live. */
async function areAlive(
  connection: Connection,
  since: Manifest,
  { inputs }: MergePlan<StoredSegment>,
): Promise<boolean> {
  const { contextId } = since;
  const current = await loadManifest(copiesOf(connection), { contextId, since });
  return inputs.every(({ segmentId }) => current?.segments.has(segmentId));
}
