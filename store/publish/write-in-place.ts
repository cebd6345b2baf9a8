import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import type { PagePartition } from '../../db/page-tables.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { ensurePagePartition } from '../../db/write/pages/page-partitions.ts';
import { tryLockMerges } from '../../db/write/segments/try-lock-merges.ts';
import { loadManifest, type Manifest, type StoredSegment } from '../read/manifest.ts';
import { MissingPages } from '../read/missing-pages.ts';
import { MissingPartition } from '../write/missing-partition.ts';
import { SegmentsGone } from './segments-gone.ts';

/** What is to be written of live segments, and into which partition. */
export type Rewriting = {
  readonly manifest: Manifest;
  /** They must still live. */
  readonly inputs: readonly StoredSegment[];
  readonly partition: PagePartition;
};

/**
 * Writes something that is made of live segments, and publishes it, in a transaction of its own:
 * `work` does both. busy: another process does so in this context. stale: others have changed
 * something since it was planned. In both cases nothing was done. Errors: DamagedSegment,
 * MissingPages.
 */
export async function writeInPlaceOf<Written>(
  connection: Connection,
  { manifest, inputs, partition }: Rewriting,
  work: () => Promise<Written>,
): Promise<Written | 'busy' | 'stale'> {
  const { contextId } = manifest;
  await ensurePagePartition(connection, partition);
  try {
    return await inTransaction(connection, async () => {
      if (!(await tryLockMerges(connection, contextId))) return 'busy';
      if (!(await areAlive(connection, manifest, inputs))) return 'stale';
      return work();
    });
  } catch (error) {
    if (error instanceof SegmentsGone || error instanceof MissingPartition) return 'stale';
    // A slice that is archived or dropped meanwhile takes its pages along.
    const isGone = error instanceof MissingPages && !(await areAlive(connection, manifest, inputs));
    if (isGone) return 'stale';
    throw error;
  }
}

/** Whether all of these still live. */
async function areAlive(
  connection: Connection,
  since: Manifest,
  inputs: readonly StoredSegment[],
): Promise<boolean> {
  const { contextId } = since;
  const current = await loadManifest(copiesOf(connection), { contextId, since });
  return inputs.every(
    ({ segmentId }) => current?.segments.has(segmentId) || current?.rollUps.has(segmentId),
  );
}
