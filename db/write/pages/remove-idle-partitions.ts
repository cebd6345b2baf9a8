import type { Connection } from '../../connection/connection.ts';
import { type RefusedRemoval, removePagePartitions } from './remove-page-partitions.ts';

const WAIT_MS = 5_000;

/**
 * Removes partitions of pages that have no segment of the manifest, live or dead. Waits for no
 * snapshots except those that DETACH itself waits for, because dead segments stay in the manifest
 * until none sees them alive.
 */
export const removeIdlePartitions = (
  connection: Connection,
  { waitMs = WAIT_MS }: { readonly waitMs?: number } = {},
): Promise<RefusedRemoval[]> =>
  removePagePartitions(connection, {
    isNeeded: ({ holds }) => `exists (select from segments s where ${holds('s')})`,
    mayRemove: async () => true,
    waitMs,
  });
