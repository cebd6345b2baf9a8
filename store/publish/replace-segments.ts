import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import type { PagePartition } from '../../db/page-tables.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { ensurePagePartition } from '../../db/sql/page-partitions.ts';
import { commitLate, tryLockMerges } from '../../db/sql/publish.ts';
import { loadManifest, type Manifest, type StoredSegment } from '../read/manifest.ts';
import { MissingPages } from '../read/missing-pages.ts';
import { MissingPartition } from '../write/missing-partition.ts';
import { SegmentsGone } from './publish-segments.ts';

/** The live segments that something is made of, and the partition that it is written to. */
type Rewriting = {
  readonly manifest: Manifest;
  /** They must still be live. */
  readonly inputs: readonly StoredSegment[];
  readonly partition: PagePartition;
};

/**
 * Writes something made of live segments and publishes it, in a transaction of its own; `work` does
 * both. busy: another process is doing so in this context. stale: the inputs have changed since it
 * was planned. In both cases nothing was done. Errors: DamagedSegment, MissingPages.
 */
export async function replaceSegments<Written>(
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
      // If a crash undoes it, the inputs are live again, and it is done again: nothing is lost.
      await commitLate(connection);
      return work();
    });
  } catch (error) {
    if (error instanceof SegmentsGone || error instanceof MissingPartition) return 'stale';
    // Archiving or dropping a slice meanwhile removes its pages.
    const isGone = error instanceof MissingPages && !(await areAlive(connection, manifest, inputs));
    if (isGone) return 'stale';
    throw error;
  }
}

/** Returns whether all of these segments are still live. */
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
