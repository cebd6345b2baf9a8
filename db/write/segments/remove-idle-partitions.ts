import { levelsIn } from '../../page-tables.ts';
import type { Connection } from '../connection.ts';
import { removePagePartitions } from './remove-page-partitions.ts';

const WAIT_MS = 5_000;

/**
 * Removes partitions of pages whose slices have no segment, alive or dead, that would be in them.
 * No snapshot is waited for but those that DETACH itself waits for, as dead segments stay in the
 * manifest until none sees them alive.
 */
export const removeIdlePartitions = (
  connection: Connection,
  { waitMs = WAIT_MS }: { readonly waitMs?: number } = {},
): Promise<void> =>
  removePagePartitions(connection, {
    isNeeded: (table, slice) =>
      `exists (select from segments s where s.slice_id = ${slice} and ${levelsIn(table)})`,
    mayRemove: async () => true,
    waitMs,
  });
