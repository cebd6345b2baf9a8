import type { Connection } from '../../connection/connection.ts';
import { removePagePartitions } from './remove-page-partitions.ts';

const WAIT_MS = 5_000;

/**
 * Removes partitions of pages in which no segment of the manifest lies, alive or dead.
 * No snapshot is waited for but those that DETACH itself waits for, as dead segments stay in the
 * manifest until none sees them alive.
 */
export const removeIdlePartitions = (
  connection: Connection,
  { waitMs = WAIT_MS }: { readonly waitMs?: number } = {},
): Promise<void> =>
  removePagePartitions(connection, {
    isNeeded: ({ holds }) => `exists (select from segments s where ${holds('s')})`,
    mayRemove: async () => true,
    waitMs,
  });
