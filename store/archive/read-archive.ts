import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { LIMITS } from '../../domain/limits.ts';
import type { StoredPage } from '../../segments/pages/page-cutter.ts';
import {
  type ArchivedSegmentRow,
  type ArchiveHeader,
  type ArchiveOutline,
  beginsAsGzip,
  FORM_VERSION,
  FORMER_OUTLINE,
  FRAME_HEAD_BYTES,
  FRAMES,
  type FrameKind,
  parseHeader,
} from './archive-form.ts';

/** An open archive. Memory holds one chunk, or one frame if that is larger. */
export type ArchiveReader = {
  readonly bytes: number;
  /** SHA-256 of the file as it is on disk, in hexadecimal. Called with the bytes of each chunk. */
  readonly digest: (onBytes?: (length: number) => void) => Promise<string>;
  /** What the start of the file says; null if it is not an archive. */
  readonly outline: () => Promise<ArchiveOutline | null>;
  /** Reads from the start. Reading throws if the file is damaged. */
  readonly read: () => ArchiveContents;
  readonly close: () => Promise<void>;
};

type ArchiveContents = {
  header(): Promise<ArchiveHeader>;
  /** Call after header(). Read all pages of a segment before asking for the next segment. */
  segments(): AsyncGenerator<ArchivedSegment>;
};

export type ArchivedSegment = {
  readonly row: ArchivedSegmentRow;
  readonly directory: Uint8Array;
  readonly pages: AsyncGenerator<StoredPage>;
};

/** Opens an archive. Errors: those of the file system; not a regular file. */
export async function openArchive(file: string): Promise<ArchiveReader> {
  // One handle serves all reads, so that nobody can swap the file between two of them.
  // O_NONBLOCK, because opening a pipe would otherwise wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await handle.stat();
  if (!stat.isFile()) {
    await handle.close();
    throw new Error('it is not a plain file');
  }
  return {
    bytes: stat.size,
    async digest(onBytes = () => {}) {
      const hash = createHash('sha256');
      for await (const chunk of chunksOf(handle)) {
        hash.update(chunk);
        onBytes(chunk.length);
      }
      return hash.digest('hex');
    },
    async outline() {
      if (beginsAsGzip(await readChunk(handle, 0))) return FORMER_OUTLINE;
      const line = new FileBytes(handle, stat.size).line();
      return parseHeader(await line.catch(() => Buffer.alloc(0)));
    },
    read: () => contentsOf(new FileBytes(handle, stat.size)),
    close: () => handle.close(),
  };
}

const CHUNK_BYTES = 256 * 1024;

async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const chunk = await readChunk(handle, position);
    if (chunk.length === 0) return;
    position += chunk.length;
    yield chunk;
  }
}

async function readChunk(handle: FileHandle, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const { bytesRead } = await handle.read({ buffer, position });
  return buffer.subarray(0, bytesRead);
}

/** Reads the bytes of a file in order. */
class FileBytes {
  readonly #handle: FileHandle;
  readonly #size: number;
  #position = 0;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.#size = size;
  }

  async isOver(): Promise<boolean> {
    return this.#waiting.length === 0 && !(await this.#fill());
  }

  async take(length: number): Promise<Buffer> {
    const left = this.#size - this.#position + this.#waiting.length;
    if (length > left) throw cutOff();
    const parts = [this.#waiting];
    for (let bytes = this.#waiting.length; bytes < length; bytes += this.#waiting.length) {
      if (!(await this.#read())) throw cutOff();
      parts.push(this.#waiting);
    }
    const all = parts.length === 1 ? this.#waiting : Buffer.concat(parts);
    this.#waiting = all.subarray(length);
    return all.subarray(0, length);
  }

  /** Reads a line, without its newline. */
  async line(): Promise<Buffer> {
    let end = this.#waiting.indexOf(NEWLINE);
    while (end < 0) {
      if (this.#waiting.length > LIMITS.archiveHeaderBytes || !(await this.#fill())) {
        throw noArchive();
      }
      end = this.#waiting.indexOf(NEWLINE);
    }
    const line = await this.take(end + 1);
    return line.subarray(0, end);
  }

  /** Appends the next chunk to the waiting bytes; false at the end of the file. */
  async #fill(): Promise<boolean> {
    const before = this.#waiting;
    const isMore = await this.#read();
    this.#waiting = before.length === 0 ? this.#waiting : Buffer.concat([before, this.#waiting]);
    return isMore;
  }

  /** Replaces the waiting bytes with the next chunk; false at the end of the file. */
  async #read(): Promise<boolean> {
    this.#waiting = await readChunk(this.#handle, this.#position);
    this.#position += this.#waiting.length;
    return this.#waiting.length > 0;
  }
}

const NEWLINE = 0x0a;

function contentsOf(bytes: FileBytes): ArchiveContents {
  let header: ArchiveHeader | null = null;
  return {
    async header() {
      header = parseHeader(await bytes.line());
      if (header?.version !== FORM_VERSION) throw noArchive();
      return header;
    },
    async *segments() {
      if (!header) throw new Error('the header is read first');
      let count = 0;
      for (;;) {
        const frame = await nextFrame(bytes);
        if (frame.kind === 'end') {
          const isWhole = count === header.content.segments && (await bytes.isOver());
          if (!isWhole) throw outOfOrder();
          return;
        }
        if (frame.kind !== 'segment') throw outOfOrder();
        count += 1;
        const { row, directory } = parseSegment(frame.body);
        yield { row, directory, pages: pagesOf(bytes, row.pageCount) };
      }
    },
  };
}

async function* pagesOf(bytes: FileBytes, count: number): AsyncGenerator<StoredPage> {
  for (let number = 0; number < count; number += 1) {
    const { kind, body } = await nextFrame(bytes);
    if (kind !== 'page') throw outOfOrder();
    yield { number, bytes: body };
  }
}

type Frame = { readonly kind: FrameKind; readonly body: Buffer };

async function nextFrame(bytes: FileBytes): Promise<Frame> {
  const head = await bytes.take(FRAME_HEAD_BYTES);
  const kind = FRAME_KINDS.get(head.readUInt8(0));
  if (!kind) throw outOfOrder();
  return { kind, body: await bytes.take(head.readUInt32BE(1)) };
}

const FRAME_KINDS = new Map<number, FrameKind>([
  [FRAMES.segment, 'segment'],
  [FRAMES.page, 'page'],
  [FRAMES.end, 'end'],
]);

function parseSegment(body: Buffer): Pick<ArchivedSegment, 'row' | 'directory'> {
  const end = body.indexOf(NEWLINE);
  if (end < 0) throw outOfOrder();
  // The digest of the file proves that this is what was written.
  const row = JSON.parse(body.toString('utf8', 0, end)) as ArchivedSegmentRow;
  return { row, directory: body.subarray(end + 1) };
}

const noArchive = () => new Error('it is not an archive of countergraph');
const cutOff = () => new Error('it ends in the middle');
const outOfOrder = () => new Error('its parts do not follow each other as those of an archive do');
