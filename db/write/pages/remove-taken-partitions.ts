import { LIMITS } from '../../../domain/limits.ts';
import { NO_SLICE } from '../../../domain/slices/segment-level.ts';
import type { Connection } from '../../connection/connection.ts';
import { waitForSnapshots } from '../slices/wait-for-snapshots.ts';
import { type RefusedRemoval, removePagePartitions } from './remove-page-partitions.ts';

export type TakenRemoval = {
  /** How long to wait for earlier readers before a partition is left to the next time. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Removes partitions of pages of slices that were archived or dropped, and of imports that failed,
 * as soon as every transaction that could see a live segment in them is over. Dead segments may
 * still be in the manifest: the sweep, which does the same for all pages that nobody can need,
 * waits until servers that have cached them have had their time.
 *
 * A slice that was archived by hand, without an archive of ours, may have nothing but its pages, so
 * they stay. Pages of roll-ups are left to the sweep.
 */
export const removeTakenPartitions = (
  connection: Connection,
  { waitMs = LIMITS.detachWaitMs, signal }: TakenRemoval = {},
): Promise<RefusedRemoval[]> =>
  removePagePartitions(connection, {
    isNeeded: ({ slice, holds }) =>
      `exists (select from segments s where ${holds('s')} and s.died is null)
       or exists (select from slices where slice_id = ${slice} and archive_digest is null)
       or ${slice} = ${NO_SLICE}`,
    mayRemove: () => waitForSnapshots(connection, { waitMs, signal }),
    waitMs,
  });
