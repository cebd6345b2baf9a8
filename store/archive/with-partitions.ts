import type { Connection } from '../../db/connection/connection.ts';
import type { PagePartition } from '../../db/page-tables.ts';
import {
  ensurePagePartition,
  holdPagePartition,
  selectPartitionState,
} from '../../db/sql/page-partitions.ts';
import { removeTakenPartitions } from '../../db/sql/remove-partitions.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import type { ArchiveSession, SliceIdentity } from './archive-session.ts';

type PartitionsWanted = {
  readonly slice: SliceIdentity;
  /** Partitions of the slice, each once, for all segments that will be put into it. */
  readonly partitions: readonly PagePartition[];
  /** How long to wait for earlier readers. */
  readonly waitMs?: number | undefined;
};

/**
 * Runs `work` while the slice has and keeps partitions for its pages. Pages from before the slice
 * was archived are removed first. If an older reader may still use them, they stay in the partition
 * next to the restored ones until they are swept, as all dead pages are.
 */
export async function withPartitions<T>(
  { connection, signal }: ArchiveSession,
  { waitMs, ...wanted }: PartitionsWanted,
  work: () => Promise<T>,
): Promise<T> {
  const removal = { waitMs, signal };
  await removeTakenPartitions(connection, removal);
  try {
    return await whileHeld(connection, wanted, work);
  } catch (error) {
    // Clean up the unused partitions; if this fails too, the next session or the sweep does it.
    await removeTakenPartitions(connection, removal).catch(() => undefined);
    throw error;
  }
}

async function whileHeld<T>(
  connection: Connection,
  { slice, partitions }: Omit<PartitionsWanted, 'waitMs'>,
  work: () => Promise<T>,
): Promise<T> {
  const letGo: (() => Promise<void>)[] = [];
  try {
    for (const partition of partitions) {
      letGo.push(await holdPagePartition(connection, partition));
      await ensure(connection, partition, slice);
    }
    return await work();
  } finally {
    // A lost connection has released its locks already.
    for (const each of letGo) await each().catch(() => undefined);
  }
}

async function ensure(
  connection: Connection,
  partition: PagePartition,
  slice: SliceIdentity,
): Promise<void> {
  if ((await selectPartitionState(connection, partition)) === 'detaching') {
    throw new Error(
      `${sliceName(slice.startsAt, slice.engine)} cannot be restored yet: a reader or an import ` +
        'that began before it was archived holds its old pages; try again when that is over',
    );
  }
  await ensurePagePartition(connection, partition);
}
