import type { Connection } from '../../db/connection/connection.ts';
import { pagePartitionOf } from '../../db/page-tables.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { replaceSegments } from '../publish/replace-segments.ts';
import type { Manifest, StoredSegment } from '../read/manifest.ts';
import type { WrittenSegment } from '../write/write-segment.ts';
import { importedAtOf, type MergePlan } from './plan-merge.ts';
import { runMerge } from './run-merge.ts';

/** A merge, and the manifest that it was planned with. */
export type PlannedMerge = {
  readonly manifest: Manifest;
  readonly groupId: number;
  readonly sliceId: number;
  readonly plan: MergePlan<StoredSegment>;
};

/** How the segments of each group are made, read after the manifest of the merge. */
export type Shapes = ReadonlyMap<number, SegmentShape>;

/**
 * Runs a merge in a transaction of its own. busy: another process is merging segments of the
 * context. stale: the inputs have changed since it was planned. In both cases nothing was done.
 * Errors: DamagedSegment, MissingPages.
 */
export const mergePlanned = (
  connection: Connection,
  { manifest, groupId, sliceId, plan }: PlannedMerge,
  { shapes, now }: { readonly shapes: Shapes; readonly now: () => number },
): Promise<WrittenSegment | 'busy' | 'stale'> =>
  replaceSegments(
    connection,
    {
      manifest,
      inputs: plan.inputs,
      partition: pagePartitionOf({ sliceId, level: plan.level, importedAt: importedAtOf(plan) }),
    },
    async () => {
      const shape = shapes.get(groupId);
      if (!shape) throw new Error(`the group ${groupId} of a segment is gone`);
      return runMerge(connection, { contextId: manifest.contextId, plan, shape, now });
    },
  );
