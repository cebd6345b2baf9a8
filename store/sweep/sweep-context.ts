import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { deleteSweptPages } from '../../db/write/pages/delete-swept-pages.ts';
import { removeIdlePartitions } from '../../db/write/pages/remove-idle-partitions.ts';
import { deleteDeadSegments } from '../../db/write/segments/delete-dead-segments.ts';
import { raiseSweptTo } from '../../db/write/segments/raise-swept-to.ts';
import { isSealed } from '../../domain/slices/segment-level.ts';

/*
 * What merges have replaced and slices that were dropped have left is swept when nobody can still
 * want it:
 *
 *   - A request that began before reads what it saw then, in one snapshot. Rows of the manifest
 *     stay until no open snapshot sees their segments alive, and pages as long as their rows.
 *   - A server that remembers a manifest may read the pages without having looked at the manifest
 *     in the same snapshot. It has five minutes; later it may find pages missing, and begin anew.
 *   - One that asks what died since a layout number below swept_to reads the manifest whole.
 *
 * Sealed pages are deleted row by row, which is rare. Open pages never are: they go with the
 * partition of their generation (domain/slices/page-generation.ts), once no segment in the manifest
 * has pages there. Pages without a row in the manifest are nowhere else, as both are written in one
 * transaction.
 */

/** How long dead segments stay for those who remember a manifest. */
export const SWEEP_AFTER_SECONDS = 300;

/** Rows of the manifest that go in one transaction. */
const MOST_ROWS = 1000;

export type SweepOptions = {
  readonly contextId: number;
  /** Epoch seconds. */
  readonly now: number;
  /** How long the removal of partitions waits for readers. */
  readonly waitMs?: number;
};

/** Removes what nobody can still want; gives how many segments left the manifest. */
export async function sweepContext(
  connection: Connection,
  { contextId, now, waitMs }: SweepOptions,
): Promise<number> {
  let count = 0;
  for (;;) {
    const swept = await sweepSome(connection, { contextId, diedBy: now - SWEEP_AFTER_SECONDS });
    count += swept;
    if (swept < MOST_ROWS) break;
  }
  // Also where nothing was swept: the last time may have been cut off here.
  await removeIdlePartitions(connection, waitMs === undefined ? {} : { waitMs });
  return count;
}

const sweepSome = (
  connection: Connection,
  dead: { readonly contextId: number; readonly diedBy: number },
): Promise<number> =>
  inTransaction(connection, async () => {
    const swept = await deleteDeadSegments(connection, { ...dead, limit: MOST_ROWS });
    if (swept.length === 0) return 0;
    await deleteSweptPages(
      connection,
      swept.filter(({ level }) => isSealed(level)),
    );
    // Last, as it locks the row that whoever publishes waits for.
    const layout = Math.max(...swept.map(({ died }) => died));
    await raiseSweptTo(connection, dead.contextId, layout);
    return swept.length;
  });
