import { inTransaction } from '../../db/connection/connection.ts';
import { insertLeftover } from '../../db/write/slices/archive-leftovers.ts';
import type { StoredArchive } from '../../db/write/slices/select-stored-slices.ts';
import { updateSliceRestored } from '../../db/write/slices/update-slice-archived.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { otherFile } from '../keeping/check-archive.ts';
import { openStored } from '../keeping/open-stored.ts';
import type { RestoreOptions } from '../keeping/restore-segments.ts';
import { auditSlice, type KeptSlice, type SliceKeeper } from '../keeping/slice-keeper.ts';
import { withPartitions } from '../keeping/with-partitions.ts';
import { OLD_FORM_VERSION } from './old-archive-form.ts';
import { type OldArchiveReader, openOldArchive } from './read-old-archive.ts';
import { restoreOldArchive } from './restore-old-archive.ts';

/**
 * Puts an archive that version 0.6 or 0.7 wrote back, as segments, and makes the slice available,
 * in one transaction. The archive becomes one of the context's leftovers. Errors: those of
 * restoreSlice. Returns how many samples were restored.
 */
export async function restoreOldSlice(
  keeper: SliceKeeper,
  slice: KeptSlice,
  { archive, file, waitMs }: RestoreOptions,
): Promise<number> {
  const reader = await openStored(slice, { archive, file }, openOldArchive);
  try {
    await checkOldArchive(keeper, slice, { archive, file, reader });
    // Parts of a large slice get their partitions, if any, within the transaction.
    const { sliceId } = slice;
    const partitions = [{ table: 'sealed_segment_pages', sliceId } as const];
    const wanted = { slice, partitions, waitMs };
    await withPartitions(keeper, wanted, () =>
      inTransaction(keeper.connection, () => fill(keeper, slice, { archive, reader })),
    );
    return archive.rows;
  } finally {
    await reader.close();
  }
}

type OldFile = {
  readonly archive: StoredArchive;
  readonly file: string;
  readonly reader: OldArchiveReader;
};

/** Compares the digest, which decides; the header of another file says what that file is. */
async function checkOldArchive(
  { context }: SliceKeeper,
  { startsAt, engine }: KeptSlice,
  { archive, file, reader }: OldFile,
): Promise<void> {
  const digest = await reader.digest();
  const header = await reader
    .read()
    .header()
    .catch(() => null);
  if (digest !== archive.digest) {
    const other = header && { context: header.context, name: header.slice.name };
    const wanted = { context, name: sliceName(startsAt, engine) };
    throw otherFile({ file, digest, written: archive.digest }, wanted, other);
  }
  if (header?.version !== OLD_FORM_VERSION) {
    throw new Error(`${file} is of no known form. Nothing was changed: update countergraph`);
  }
}

/** Makes every change that must appear at once, in the open transaction. */
async function fill(
  keeper: SliceKeeper,
  slice: KeptSlice,
  { archive, reader }: Omit<OldFile, 'file'>,
): Promise<void> {
  const { connection, contextId, now, signal, onBytes } = keeper;
  const { sliceId } = slice;
  const { rows, bytes } = archive;
  await insertLeftover(connection, contextId, archive);
  await updateSliceRestored(connection, sliceId);
  await restoreOldArchive(
    connection,
    { contextId, sliceId, archive: reader.read(), rows },
    {
      now: now(),
      signal,
      onSamples: (_, part) => onBytes?.(Math.round(part * bytes), bytes),
    },
  );
  await auditSlice(keeper, slice, { action: 'slice restored' });
}
