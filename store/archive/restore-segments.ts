import { inTransaction } from '../../db/connection/connection.ts';
import type { PagePartition } from '../../db/page-tables.ts';
import {
  insertLeftover,
  type StoredArchive,
  updateSliceRestored,
} from '../../db/sql/archived-slices.ts';
import { type CoverageSpan, upsertCoverage } from '../../db/sql/coverage.ts';
import { copyPages, PAGES_OF_COPY } from '../../db/sql/pages.ts';
import { type NewSegmentRow, reserveSegment } from '../../db/sql/publish.ts';
import { groupBy } from '../../domain/group-by.ts';
import { isSealed } from '../../domain/slices/segment-level.ts';
import { readDirectory } from '../../segments/pages/directory.ts';
import { openPage } from '../../segments/pages/page.ts';
import type { StoredPage } from '../../segments/pages/page-cutter.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { convertSegment, fetchFromStream } from '../from-1.7/convert-segment.ts';
import { isFormat1 } from '../from-1.7/format-1/directory.ts';
import { publishSegments } from '../publish/publish-segments.ts';
import { loadShapes } from '../shapes/load-shapes.ts';
import { MissingPartition } from '../write/missing-partition.ts';
import type { ArchiveHeader } from './archive-form.ts';
import { type ArchiveSession, auditSlice, type SliceIdentity } from './archive-session.ts';
import { checkArchive } from './check-archive.ts';
import { openStored } from './open-stored.ts';
import { type ArchivedSegment, type ArchiveReader, openArchive } from './read-archive.ts';
import { withPartitions } from './with-partitions.ts';

export type RestoreOptions = {
  readonly archive: StoredArchive;
  /** Where the archive is now. */
  readonly file: string;
  /** How long to wait for earlier readers, which may still use the slice's old pages. */
  readonly waitMs?: number | undefined;
};

/**
 * Puts the segments of an archived slice back as they were, under new ids, and makes the slice
 * available, in one transaction. Those of format 1, which versions up to 1.7 archived, are
 * converted; nothing else is rebuilt. The archive becomes one of the context's
 * leftovers. Errors: those of the file system; any file but the one that was written, before
 * anything is changed. Returns how many rows were restored.
 */
export async function restoreSegments(
  session: ArchiveSession,
  slice: SliceIdentity,
  options: RestoreOptions,
): Promise<number> {
  const reader = await openStored(slice, options, openArchive);
  try {
    const header = await checkArchive(session, slice, { ...options, reader });
    const wanted = { slice, partitions: partitionsOf(slice, header), waitMs: options.waitMs };
    await withPartitions(session, wanted, () =>
      inTransaction(session.connection, () => fill(session, slice, { ...options, reader })),
    );
    return header.content.rows;
  } finally {
    await reader.close();
  }
}

/** Returns the partitions that the pages of an archive's segments go to. */
const partitionsOf = (
  { sliceId }: SliceIdentity,
  { levels, generations }: ArchiveHeader,
): PagePartition[] => [
  ...generations.map(
    (generation) => ({ table: 'open_segment_pages', sliceId, generation }) as const,
  ),
  ...(levels.some(isSealed) ? [{ table: 'sealed_segment_pages', sliceId } as const] : []),
];

type FillOptions = Omit<RestoreOptions, 'waitMs'> & { readonly reader: ArchiveReader };

/** Makes every change that must appear at once, in the open transaction. */
async function fill(
  session: ArchiveSession,
  slice: SliceIdentity,
  { archive, reader }: FillOptions,
): Promise<void> {
  const { connection, contextId, now } = session;
  const contents = reader.read();
  const { content } = await contents.header();
  const progress = new Progress(session, slice, content.bytes);
  const added: NewSegmentRow[] = [];
  const shapes = await loadShapes(connection, contextId);
  for await (const segment of contents.segments()) {
    added.push(
      isFormat1(segment.directory)
        ? await convertArchived(session, slice, { segment, progress, shapes })
        : await putSegment(session, slice, { segment, progress }),
    );
  }
  await insertLeftover(connection, contextId, archive);
  // Restored data is not new: its coverage is dated by its imports, from the first to the last.
  const imports = groupBy(added, ({ importedAt }) => importedAt);
  for (const [committedAt, segments] of [...imports].toSorted(([a], [b]) => a - b)) {
    await upsertCoverage(connection, coverageOf(segments, committedAt));
  }
  await updateSliceRestored(connection, slice.sliceId);
  await publishSegments(connection, {
    contextId,
    changes: 'data',
    added,
    removed: [],
    at: now(),
  });
  await auditSlice(session, slice, { action: 'slice restored' });
}

/** Checks the abort signal and reports progress. */
class Progress {
  readonly #session: ArchiveSession;
  readonly #slice: SliceIdentity;
  readonly #of: number;
  #done = 0;

  constructor(session: ArchiveSession, slice: SliceIdentity, of: number) {
    this.#session = session;
    this.#slice = slice;
    this.#of = of;
  }

  add(bytes: number): void {
    this.#session.signal?.throwIfAborted();
    this.#done += bytes;
    this.#session.onBytes?.(this.#slice, this.#done, this.#of);
  }
}

type SegmentToPut = { readonly segment: ArchivedSegment; readonly progress: Progress };

type SegmentToConvert = SegmentToPut & { readonly shapes: ReadonlyMap<number, SegmentShape> };

/** Writes a segment of format 1 in the present format. */
async function convertArchived(
  { connection }: ArchiveSession,
  { sliceId }: SliceIdentity,
  { segment, progress, shapes }: SegmentToConvert,
): Promise<NewSegmentRow> {
  const { row, pages } = segment;
  const shape = shapes.get(row.groupId);
  if (!shape) throw new Error(`the group ${row.groupId} of a segment is gone`);
  // A copy, because the bytes are a view into a chunk of the file.
  const directory = Uint8Array.from(segment.directory);
  const converted = await convertSegment(
    connection,
    { ...row, sliceId, directory },
    { shape, fetch: fetchFromStream(pages) },
  );
  // The next segment comes after all pages of this one.
  for await (const _ of pages);
  progress.add(row.sizeBytes);
  return converted;
}

/** Stores the pages of a segment, half a megabyte at a time. */
async function putSegment(
  { connection }: ArchiveSession,
  { sliceId }: SliceIdentity,
  { segment, progress }: SegmentToPut,
): Promise<NewSegmentRow> {
  const { row, pages } = segment;
  const { level, importedAt } = row;
  const { segmentId, isReady } = await reserveSegment(connection, { sliceId, level, importedAt });
  if (!isReady) throw new MissingPartition({ sliceId, level, importedAt });
  const scope = { segmentId, sliceId, level, importedAt };
  // A copy, because the bytes are a view into a chunk of the file.
  const directory = Uint8Array.from(segment.directory);
  const { nonce } = readDirectory(directory);
  progress.add(directory.length);
  let waiting: StoredPage[] = [];
  let waitingBytes = 0;
  const store = async () => {
    await copyPages(connection, scope, waiting);
    progress.add(waitingBytes);
    waiting = [];
    waitingBytes = 0;
  };
  for await (const page of pages) {
    openPage(page.bytes, { nonce, number: page.number });
    waiting.push(page);
    waitingBytes += page.bytes.length;
    if (waiting.length >= PAGES_OF_COPY) await store();
  }
  await store();
  return { ...row, segmentId, sliceId, directory };
}

/** Returns what these segments of a slice cover, as committed at `committedAt`, epoch seconds. */
function coverageOf(segments: readonly NewSegmentRow[], committedAt: number): CoverageSpan[] {
  const spans = new Map<string, CoverageSpan>();
  for (const segment of segments) {
    const { sliceId, groupId, probeId, firstBucket, lastBucket } = segment;
    const name = `${groupId} ${probeId}`;
    const known = spans.get(name);
    spans.set(name, {
      sliceId,
      groupId,
      probeId,
      firstBucket: Math.min(firstBucket, known?.firstBucket ?? firstBucket),
      lastBucket: Math.max(lastBucket, known?.lastBucket ?? lastBucket),
      // Only a slice that is over was ever archived.
      presentBucket: Math.max(lastBucket, known?.presentBucket ?? lastBucket),
      aheadBuckets: [],
      committedAt,
    });
  }
  return [...spans.values()];
}
