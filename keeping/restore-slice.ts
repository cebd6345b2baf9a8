import { insertLeftover } from '../db/write/archive-leftovers.ts';
import { inTransaction } from '../db/write/connection.ts';
import { createPartition } from '../db/write/create-partition.ts';
import { removeOrphanPartitions, selectPartitions } from '../db/write/remove-partitions.ts';
import { copySampleText, countSamples } from '../db/write/sample-text.ts';
import { keepHoldOfSlice } from '../db/write/select-slice.ts';
import type { StoredArchive } from '../db/write/select-stored-slices.ts';
import { updateSliceRestored } from '../db/write/update-slice-archived.ts';
import { LIMITS } from '../domain/limits.ts';
import { packSliceSamples } from '../packing/pack-slice-samples.ts';
import { countLines, FORM_VERSION } from './archive-form.ts';
import { currentSlice, inHeldContext, type Keeper, type KeptSlice } from './keeper.ts';
import { removeLeftovers } from './leftovers.ts';
import { codeOf, fileOfArchive } from './pool-folder.ts';
import { type ArchiveReader, openArchive } from './read-archive.ts';

export type RestoredSlice = {
  readonly slice: KeptSlice;
  readonly rows: number;
  /** The archive, which is removed. */
  readonly file: string;
};

/**
 * Puts the samples of an archived slice back, makes all that is derived from them, and makes the
 * slice available, in one transaction. A file that is not, to the last bit, the one that was
 * written is refused before anything is done. null: somebody else was faster.
 */
export const restoreSlice = (keeper: Keeper, chosen: KeptSlice): Promise<RestoredSlice | null> =>
  inHeldContext(keeper, async () => {
    const slice = await currentSlice(keeper, chosen.sliceId);
    if (!slice?.archived) return null;
    const { archive, name } = slice;
    if (!archive) {
      const where = slice.path === null ? '' : ` (${slice.path})`;
      throw new Error(`${name} was put away by hand${where}, and has to be put back by hand`);
    }
    const file = fileOfArchive(archive);
    const reader = await openStored(slice, archive, file);
    try {
      await checkArchive(keeper, slice, { archive, file, reader });
      await fillPartition(keeper, slice, { archive, reader });
    } finally {
      await reader.close();
    }
    await removeLeftovers(keeper.connection, keeper.contextId);
    return { slice, rows: archive.rows, file };
  });

async function openStored(
  { name }: KeptSlice,
  { pool, poolPath }: StoredArchive,
  file: string,
): Promise<ArchiveReader> {
  try {
    return await openArchive(file);
  } catch (cause) {
    const missing = codeOf(cause) === 'ENOENT';
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = missing
      ? `is not there: is pool ${pool} mounted at ${poolPath}?`
      : `cannot be read: ${reason}`;
    throw new Error(`The archive of ${name}, ${file}, ${what}`, { cause });
  }
}

type StoredFile = {
  readonly archive: StoredArchive;
  readonly file: string;
  readonly reader: ArchiveReader;
};

/** The digest says it all; the header of a file that is another one says what that is. */
async function checkArchive(
  { context }: Keeper,
  { name }: KeptSlice,
  { archive, file, reader }: StoredFile,
): Promise<void> {
  const digest = await reader.digest();
  const isSame = digest === archive.digest;
  const header = await reader
    .read()
    .header()
    .catch(() => null);
  if (isSame && header?.version === FORM_VERSION) return;
  if (isSame) {
    const version = header ? `of form ${header.version}` : 'of no known form';
    throw new Error(`${file} is ${version}; this version reads form ${FORM_VERSION}: update it`);
  }
  const other = header && (header.context !== context || header.slice.name !== name);
  const what = other
    ? `is the archive of ${header.slice.name} of context ${header.context}, not of ${name}`
    : 'is damaged';
  throw new Error(
    `${file} ${what}: its SHA-256 is ${digest}, and ${archive.digest} was written. Nothing was ` +
      'changed: put the file back from a copy',
  );
}

async function fillPartition(
  keeper: Keeper,
  slice: KeptSlice,
  { archive, reader }: Omit<StoredFile, 'file'>,
): Promise<void> {
  const { connection, signal } = keeper;
  await removeOldPartition(keeper, slice);
  // From here on its partition is no orphan, although the slice is archived.
  const letGo = await keepHoldOfSlice(connection, slice.sliceId);
  try {
    await createPartition(connection, slice.sliceId);
    await inTransaction(connection, () => fill(keeper, slice, { archive, reader }));
    await letGo();
  } catch (error) {
    await letGo().catch(() => undefined);
    await removeOrphanPartitions(connection, { signal }).catch(() => undefined);
    throw error;
  }
}

/** One of before the slice was archived, which older readers may still look at. */
async function removeOldPartition(
  { connection, signal, detachWaitMs: waitMs = LIMITS.detachWaitMs }: Keeper,
  { name, sliceId }: KeptSlice,
): Promise<void> {
  await removeOrphanPartitions(connection, { waitMs, signal });
  if ((await selectPartitions(connection, [sliceId])).length === 0) return;
  throw new Error(
    `${name} cannot be restored yet: a reader or an import that began before it was archived may ` +
      'still look at its old samples; try again when that is over',
  );
}

/** All that appears at once. The transaction is open. */
async function fill(
  keeper: Keeper,
  slice: KeptSlice,
  { archive, reader }: Omit<StoredFile, 'file'>,
): Promise<void> {
  const { connection, contextId, signal } = keeper;
  const { sliceId } = slice;
  await copySampleText(connection, sliceId, sampleSection(keeper, slice, { archive, reader }));
  const rows = await countSamples(connection, sliceId);
  if (rows !== archive.rows) {
    throw new Error(`${slice.name} has ${archive.rows} rows, and ${rows} came back: try again`);
  }
  await insertLeftover(connection, contextId, archive);
  await updateSliceRestored(connection, sliceId);
  await packSliceSamples({ connection, contextId, sliceId, signal });
}

/** The samples, told of as they are read. The keys stand there for people: they are still here. */
async function* sampleSection(
  { signal, onRows = () => {} }: Keeper,
  slice: KeptSlice,
  { archive, reader }: Omit<StoredFile, 'file'>,
): AsyncGenerator<Buffer> {
  const parts = reader.read();
  await parts.header();
  for await (const _ of parts.section());
  let done = 0;
  for await (const part of parts.section()) {
    signal?.throwIfAborted();
    done += countLines(part);
    onRows(slice, done, archive.rows);
    yield part;
  }
}
