import type { StoredArchive } from '../../db/sql/archived-slices.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { type Differences, NAMELESS } from '../check/differences.ts';
import {
  type ArchiveSession,
  currentSlice,
  listNamedSlices,
  type NamedSlice,
} from './archive-session.ts';
import { openStored } from './open-stored.ts';
import { fileOfArchive } from './pool-folder.ts';
import { type ArchiveReader, openArchive } from './read-archive.ts';

export type CheckedArchives = {
  readonly archives: number;
  /** Size of all of them, as they were written. */
  readonly archivedBytes: number;
  readonly damagedArchives: number;
};

type ArchivedSlice = NamedSlice & { readonly archive: StoredArchive };

/**
 * Checks that the file of each archived slice is there and is the one that was written, by its
 * length and its digest, and adds what is not to `differences`. Memory holds a chunk of one file.
 * Slices that were archived by hand have no file that is known.
 */
export async function verifyArchives(
  session: ArchiveSession,
  differences: Differences,
  onProgress: (progress: { readonly bytes: number; readonly of: number }) => void = () => {},
): Promise<CheckedArchives> {
  const archived = (await listNamedSlices(session)).filter(isInFile);
  const of = archived.reduce((sum, { archive }) => sum + archive.bytes, 0);
  let bytes = 0;
  for (const slice of archived) {
    let read = 0;
    const problem = await problemOf(session, slice, (length) => {
      session.signal?.throwIfAborted();
      read += length;
      onProgress({ bytes: Math.min(bytes + read, of), of });
    });
    bytes += slice.archive.bytes;
    if (problem !== null && (await isStillThere(session, slice))) {
      differences.add({ ...NAMELESS, slice: slice.name }, problem);
    }
  }
  return { archives: archived.length, archivedBytes: of, damagedArchives: differences.count };
}

const isInFile = (slice: NamedSlice): slice is ArchivedSlice => slice.archive !== null;

/** Whether the slice has the same archive as before: it may have been restored or dropped. */
const isStillThere = async (session: ArchiveSession, { sliceId, archive }: ArchivedSlice) =>
  (await currentSlice(session, sliceId))?.archive?.path === archive.path;

/** Returns what is wrong with the archive of a slice, in words, or null. */
async function problemOf(
  { signal }: ArchiveSession,
  slice: ArchivedSlice,
  onBytes: (length: number) => void,
): Promise<string | null> {
  const { archive } = slice;
  let reader: ArchiveReader | null = null;
  try {
    const file = fileOfArchive(archive);
    reader = await openStored(slice, { archive, file }, openArchive);
    if (reader.bytes !== archive.bytes) {
      return `its archive, ${file}, has ${reader.bytes} bytes, and ${archive.bytes} were written`;
    }
    const digest = await reader.digest(onBytes);
    if (digest === archive.digest) return null;
    return `its archive, ${file}, is damaged: its SHA-256 is ${digest}, and ${archive.digest} was written`;
  } catch (error) {
    signal?.throwIfAborted();
    return reasonOf(error);
  } finally {
    await reader?.close();
  }
}
