import { createHash } from 'node:crypto';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inSnapshot } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import {
  type SliceSegmentRow,
  selectDirectory,
  selectSliceSegments,
} from '../../db/sql/manifest.ts';
import { syncFolder } from '../../db/sync-folder.ts';
import { partialOf } from '../../domain/slices/partial-file.ts';
import { readDirectory } from '../../segments/pages/directory.ts';
import { openPage } from '../../segments/pages/page.ts';
import { fetchPages } from '../read/fetch-pages.ts';
import { type ArchiveHeader, frameHead, jsonLine } from './archive-form.ts';
import type { ArchiveSession, SliceIdentity } from './archive-session.ts';
import { describeArchive } from './describe-archive.ts';
import { openArchive } from './read-archive.ts';

/** What was written, as read back from disk. */
export type WrittenArchive = {
  readonly digest: string;
  readonly bytes: number;
  readonly rows: number;
};

/** Pages read at once: half a megabyte. */
const PAGES_AT_ONCE = 64;

/** Bytes per write: a write to the file for each page would cost more than the page. */
const WRITE_BYTES = 256 * 1024;

/**
 * Writes the archive of a slice in one snapshot; merges that run meanwhile do not change the
 * readings. The file gets its name only when it is on disk and has been read back whole. Errors:
 * those of the file system; MissingPages and DamagedSegment: damaged data is not archived.
 */
export async function writeArchive(
  session: ArchiveSession,
  slice: SliceIdentity,
  file: string,
): Promise<WrittenArchive> {
  const partial = partialOf(file);
  const handle = await open(partial, 'wx', 0o640);
  const written = new HashedFile(handle);
  let header: ArchiveHeader;
  try {
    header = await inSnapshot(session.connection, () => writeContent(session, slice, written));
    await written.end();
    await handle.sync();
  } finally {
    await handle.close();
  }
  const bytes = await checkWritten(partial, written.digest(), header);
  await rename(partial, file);
  await syncFolder(dirname(file));
  return { digest: written.digest(), bytes, rows: header.content.rows };
}

async function writeContent(
  session: ArchiveSession,
  slice: SliceIdentity,
  file: HashedFile,
): Promise<ArchiveHeader> {
  const segments = await selectSliceSegments(session.connection, slice.sliceId);
  const header = await describeArchive(session, slice, segments);
  const { bytes } = header.content;
  let done = 0;
  const onWritten = (count: number) => {
    done += count;
    session.onBytes?.(slice, done, bytes);
  };
  await file.write(jsonLine(header));
  for (const segment of segments) await writeSegment(session, segment, { file, onWritten });
  const end = jsonLine(header.content);
  await file.write(frameHead('end', end.length));
  await file.write(end);
  return header;
}

type ArchiveTarget = {
  readonly file: HashedFile;
  readonly onWritten: (bytes: number) => void;
};

async function writeSegment(
  { connection, signal }: ArchiveSession,
  segment: SliceSegmentRow,
  { file, onWritten }: ArchiveTarget,
): Promise<void> {
  const { segmentId, sliceId, level, importedAt, pageCount } = segment;
  const bytes = await selectDirectory(connection, segmentId);
  const { nonce } = readDirectory(bytes);
  const { segmentId: _, sliceId: __, ...row } = segment;
  const line = jsonLine(row);
  await file.write(frameHead('segment', line.length + bytes.length));
  await file.write(line);
  await file.write(bytes);
  onWritten(bytes.length);
  for (let first = 0; first < pageCount; first += PAGES_AT_ONCE) {
    signal?.throwIfAborted();
    const last = Math.min(first + PAGES_AT_ONCE, pageCount) - 1;
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const request = { segment: { segmentId, sliceId, level, importedAt }, pages: numbers };
    const fetched = await fetchPages(copiesOf(connection), [request]);
    const pages = [...(fetched.get(segmentId) ?? [])].sort(([a], [b]) => a - b);
    for (const [number, page] of pages) {
      openPage(page, { nonce, number });
      await file.write(frameHead('page', page.length));
      await file.write(page);
      onWritten(page.length);
    }
  }
}

/** Buffers small writes, and computes the digest of everything written. */
class HashedFile {
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #digest: string | null = null;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(part: Uint8Array): Promise<void> {
    this.#waiting.push(part);
    this.#waitingBytes += part.length;
    if (this.#waitingBytes >= WRITE_BYTES) await this.end();
  }

  /** Writes the buffered parts. */
  async end(): Promise<void> {
    const parts = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#hash.update(parts);
    await this.#handle.writeFile(parts);
  }

  /** Returns the digest of everything written; nothing more can be written after that. */
  digest(): string {
    this.#digest ??= this.#hash.digest('hex');
    return this.#digest;
  }
}

/** Reads the file back. Errors: it differs from what was written. */
async function checkWritten(file: string, digest: string, header: ArchiveHeader): Promise<number> {
  const archive = await openArchive(file);
  try {
    const content = archive.read();
    const found = await content.header();
    for await (const { pages } of content.segments()) for await (const _ of pages);
    const isSame = JSON.stringify(found) === JSON.stringify(header);
    if (!isSame || (await archive.digest()) !== digest) {
      throw new Error(`${file} does not hold what was written to it: is the disk damaged?`);
    }
    return archive.bytes;
  } finally {
    await archive.close();
  }
}
