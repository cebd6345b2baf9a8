import { rm } from 'node:fs/promises';
import { inTransaction } from '../../db/connection/connection.ts';
import {
  deleteLeftover,
  insertLeftover,
  type StoredArchive,
  updateSliceArchived,
} from '../../db/sql/archived-slices.ts';
import { partialOf } from '../../domain/slices/partial-file.ts';
import {
  type ArchiveSession,
  auditSlice,
  currentSlice,
  inHeldContext,
  type NamedSlice,
  type SliceIdentity,
} from './archive-session.ts';
import { noteLabels } from './looked-up-labels.ts';
import { refuseProcessing } from './plan-slices.ts';
import { type ArchivePool, explainPool, newArchiveLocation } from './pool-folder.ts';
import { takeOut } from './take-out.ts';
import { type WrittenArchive, writeArchive } from './write-archive.ts';

export type ArchivedSlice = {
  readonly slice: NamedSlice;
  readonly rows: number;
  readonly bytes: number;
  readonly digest: string;
  readonly file: string;
};

/**
 * Writes the segments of a slice to a file in the pool and removes the slice from all answers. If
 * this is interrupted at any point, the slice is either wholly available or wholly archived, and
 * the next session removes a partial file. Returns null if another process archived or dropped the
 * slice first.
 */
export const archiveSlice = (
  session: ArchiveSession,
  chosen: NamedSlice,
  pool: ArchivePool,
): Promise<ArchivedSlice | null> =>
  inHeldContext(session, async () => {
    const slice = await currentSlice(session, chosen.sliceId);
    if (!slice || slice.archived) return null;
    refuseProcessing(slice, session.now());
    const location: ArchiveLocation = await newArchiveLocation(pool, session.context, slice.name);
    try {
      const written = await archiveSegments(session, slice, location);
      return { slice, ...written, file: location.file };
    } catch (error) {
      throw explainPool(pool, error);
    }
  });

/** A new file in a pool: no other file has its name, and its folder exists. */
export type ArchiveLocation = Pick<StoredArchive, 'pool' | 'path'> & { readonly file: string };

/**
 * Writes the segments of a slice to a file, then removes the slice from all answers in one
 * transaction. Its pages stay until no reader can need them
 * (db/sql/remove-partitions.ts). If this is interrupted at any point, the slice is
 * either available or archived as a whole, and a partial file is among the context's leftovers.
 */
export async function archiveSegments(
  session: ArchiveSession,
  slice: SliceIdentity,
  location: ArchiveLocation,
): Promise<WrittenArchive> {
  const { connection, contextId } = session;
  await insertLeftover(connection, contextId, location);
  const written = await writeArchive(session, slice, location.file).catch(
    async (error: unknown) => {
      await discard(session, location);
      throw error;
    },
  );
  // If this fails, the file stays for the next session: a commit whose answer was lost may need it.
  await inTransaction(connection, async () => {
    await noteLabels(session, slice);
    await updateSliceArchived(connection, slice.sliceId, { ...location, ...written });
    await deleteLeftover(connection, contextId, location);
    await takeOut(session, slice);
    const { pool, path } = location;
    await auditSlice(session, slice, { action: 'slice archived', detail: { pool, path } });
  });
  return written;
}

/** Removes a partial file immediately; if that fails, the next session removes it. */
async function discard(
  { connection, contextId }: ArchiveSession,
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
