import { rm } from 'node:fs/promises';
import { inTransaction } from '../../db/connection/connection.ts';
import {
  deleteLeftover,
  insertLeftover,
  type StoredArchive,
  updateSliceArchived,
} from '../../db/sql/archived-slices.ts';
import { partialOf } from '../../domain/slices/partial-file.ts';
import { noteLabels } from './looked-up-labels.ts';
import { auditSlice, type KeptSlice, type SliceKeeper } from './slice-keeper.ts';
import { takeOut } from './take-out.ts';
import { type WrittenArchive, writeArchive } from './write-archive.ts';

/** A new file in a pool: no other file has its name, and its folder exists. */
export type ArchiveLocation = Pick<StoredArchive, 'pool' | 'path'> & { readonly file: string };

/**
 * Writes the segments of a slice to a file, then removes the slice from all answers in one
 * transaction. Its pages stay until no reader can need them
 * (db/sql/remove-partitions.ts). If this is interrupted at any point, the slice is
 * either available or archived as a whole, and a partial file is among the context's leftovers.
 */
export async function archiveSegments(
  keeper: SliceKeeper,
  slice: KeptSlice,
  location: ArchiveLocation,
): Promise<WrittenArchive> {
  const { connection, contextId } = keeper;
  await insertLeftover(connection, contextId, location);
  const written = await writeArchive(keeper, slice, location.file).catch(async (error: unknown) => {
    await discard(keeper, location);
    throw error;
  });
  // If this fails, the file stays for the next keeper: a commit whose answer was lost may need it.
  await inTransaction(connection, async () => {
    await noteLabels(keeper, slice);
    await updateSliceArchived(connection, slice.sliceId, { ...location, ...written });
    await deleteLeftover(connection, contextId, location);
    await takeOut(keeper, slice);
    const { pool, path } = location;
    await auditSlice(keeper, slice, { action: 'slice archived', detail: { pool, path } });
  });
  return written;
}

/** Removes a partial file immediately; if that fails, the next keeper removes it. */
async function discard(
  { connection, contextId }: SliceKeeper,
  location: ArchiveLocation,
): Promise<void> {
  try {
    await rm(partialOf(location.file), { force: true });
    await rm(location.file, { force: true });
    await deleteLeftover(connection, contextId, location);
  } catch {
    // The original error matters more than this one.
  }
}
