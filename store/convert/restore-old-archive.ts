import type { Connection } from '../../db/connection/connection.ts';
import {
  ARCHIVED_TABLES,
  copyArchivedKeys,
  copyArchivedSamples,
  createArchivedTables,
} from '../../db/write/convert/archived-tables.ts';
import { upsertCoverage } from '../../db/write/slices/upsert-coverage.ts';
import type { ConvertedSlice } from './convert-slice.ts';
import { publishWritten } from './publish-written.ts';
import { type WritingOptions, writeOldSamples } from './write-old-samples.ts';

/**
 * The parts of an archive of form 1, which versions 0.6 and 0.7 wrote (keeping/read-archive.ts):
 * the header, then the keys and the samples, each to its end.
 */
type OldArchive = {
  header(): Promise<{ readonly slice: { readonly id: number } }>;
  section(): AsyncGenerator<Buffer>;
};

type ArchiveToRestore = {
  readonly contextId: number;
  readonly sliceId: number;
  readonly archive: OldArchive;
  /** How many samples the archive must have. */
  readonly rows: number;
};

/**
 * Puts the samples of an archive back, as segments. This is the last step of the open transaction,
 * which has already made the slice available. The caller has checked the file's digest. Groups and
 * probes keep the numbers that they had, so the archive belongs to the database that wrote it.
 * Texts of keys are not taken from it: they stayed in the database, looked-up labels for as long as
 * the slice is archived (copy-old-texts.ts). Missing partitions for sealed pages
 * (ensurePagePartition) are made here, and other slices then wait for theirs. Errors: the archive
 * is of another slice, or lacks samples.
 */
export async function restoreOldArchive(
  connection: Connection,
  { contextId, sliceId, archive, rows }: ArchiveToRestore,
  options: WritingOptions,
): Promise<ConvertedSlice> {
  const header = await archive.header();
  if (header.slice.id !== sliceId) {
    throw new Error(`an archive of slice ${sliceId} was expected, not of ${header.slice.id}`);
  }
  await createArchivedTables(connection);
  await copyArchivedKeys(connection, archive.section());
  const copied = await copyArchivedSamples(connection, sliceId, archive.section());
  if (copied !== rows) {
    throw new Error(`an archive of ${rows} samples was expected, but it has ${copied}`);
  }
  // Only a slice that is over was ever archived.
  const slice = { contextId, sliceId, isOver: true };
  const written = await writeOldSamples(connection, slice, { ...options, tables: ARCHIVED_TABLES });
  const spans = written.live.map((segment) => ({
    ...segment,
    presentBucket: segment.lastBucket,
    aheadBuckets: [],
  }));
  await upsertCoverage(connection, spans);
  const publication = { contextId, changes: 'data', at: options.now } as const;
  await publishWritten(connection, publication, written);
  return { samples: written.samples, segments: written.live.length };
}
