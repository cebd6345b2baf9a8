import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { deleteSweptPages } from '../../db/sql/pages.ts';
import { deleteRemovedSegments, raiseSweptTo } from '../../db/sql/publish.ts';
import { isSealed } from '../../domain/slices/segment-level.ts';

/*
 * Segments that were merged away, and those of dropped slices, are swept when nobody can need them
 * any more:
 *
 *   - A request that began earlier reads its own snapshot. Rows of the manifest stay until no open
 *     snapshot sees their segments alive, and pages stay as long as their rows.
 *   - A server that caches a manifest may read pages without reading the manifest in the same
 *     snapshot. It has five minutes; after that it may find pages missing, and retry from the
 *     start.
 *   - A server that asks what was removed since a layout number below swept_to reads the whole
 *     manifest.
 *
 * Sealed pages are deleted row by row, which is rare. Open pages are not: they go with the
 * partition of their generation (domain/slices/page-generation.ts), once no segment in the manifest
 * has pages there. No other pages lack a row in the manifest, as both are written in one
 * transaction.
 */

/** How long dead segments stay for servers that cache a manifest. */
export const SWEEP_AFTER_SECONDS = 300;

/** Maximum number of manifest rows removed in one transaction. */
const MAX_ROWS = 1000;

type SweepOptions = {
  readonly contextId: number;
  /** Epoch seconds. */
  readonly now: number;
};

/**
 * Removes a context's segments that nobody can need any more, and returns how many. Their
 * partitions, which all contexts share, remain to be removed (`removeIdlePartitions`).
 */
export async function sweepContext(
  connection: Connection,
  { contextId, now }: SweepOptions,
): Promise<number> {
  let count = 0;
  for (;;) {
    const swept = await sweepSome(connection, { contextId, removedBy: now - SWEEP_AFTER_SECONDS });
    count += swept;
    if (swept < MAX_ROWS) return count;
  }
}

const sweepSome = (
  connection: Connection,
  dead: { readonly contextId: number; readonly removedBy: number },
): Promise<number> =>
  inTransaction(connection, async () => {
    const swept = await deleteRemovedSegments(connection, { ...dead, limit: MAX_ROWS });
    if (swept.length === 0) return 0;
    await deleteSweptPages(
      connection,
      swept.filter(({ level }) => isSealed(level)),
    );
    // Last, because it locks the row that publishers wait for.
    const layout = Math.max(...swept.map(({ removedAt }) => removedAt));
    await raiseSweptTo(connection, dead.contextId, layout);
    return swept.length;
  });
