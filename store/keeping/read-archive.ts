import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { LIMITS } from '../../domain/limits.ts';
import type { StoredPage } from '../../segments/pages/page-cutter.ts';
import {
  type ArchivedSegmentRow,
  type ArchiveHeader,
  type ArchiveOutline,
  FORM_VERSION,
  FORMER_OUTLINE,
  FRAME_HEAD_BYTES,
  FRAMES,
  type FrameKind,
  isGzip,
  parseHeader,
} from './archive-form.ts';

/** An archive that is open. In memory are a chunk, or a frame where that is larger. */
export type ArchiveReader = {
  readonly bytes: number;
  /** SHA-256 of the file as it lies there, in hexadecimal. */
  readonly digest: () => Promise<string>;
  /** What its beginning says; null: it is no archive. */
  readonly outline: () => Promise<ArchiveOutline | null>;
  /** From the beginning. What is read may throw that the file is damaged. */
  readonly read: () => ArchiveContents;
  readonly close: () => Promise<void>;
};

export type ArchiveContents = {
  header(): Promise<ArchiveHeader>;
  /** After the header. All pages of one are read before the next is asked for. */
  segments(): AsyncGenerator<ArchivedSegment>;
};

export type ArchivedSegment = {
  readonly row: ArchivedSegmentRow;
  readonly directory: Uint8Array;
  readonly pages: AsyncGenerator<StoredPage>;
};

/** Errors: those of the file system; no plain file. */
export async function openArchive(file: string): Promise<ArchiveReader> {
  // All is read through one handle: nobody puts another file in its place between two looks.
  // Of a pipe, to open it would wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await handle.stat();
  if (!stat.isFile()) {
    await handle.close();
    throw new Error('it is no plain file');
  }
  return {
    bytes: stat.size,
    async digest() {
      const hash = createHash('sha256');
      for await (const chunk of chunksOf(handle)) hash.update(chunk);
      return hash.digest('hex');
    },
    async outline() {
      if (isGzip(await readChunk(handle, 0))) return FORMER_OUTLINE;
      const line = new FileBytes(handle, stat.size).line();
      return parseHeader(await line.catch(() => Buffer.alloc(0)));
    },
    read: () => contentsOf(new FileBytes(handle, stat.size)),
    close: () => handle.close(),
  };
}

/** Whether a file is an archive of form 1; not one that cannot be read, which restoring tells. */
export async function isOldArchive(file: string): Promise<boolean> {
  const reader = await openArchive(file).catch(() => null);
  try {
    return (await reader?.outline())?.version === FORMER_OUTLINE.version;
  } finally {
    await reader?.close();
  }
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

/** The bytes of a file, one after the other. */
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

  /** A line without its end. */
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

  /** Adds what comes next to what waits; false: the file is over. */
  async #fill(): Promise<boolean> {
    const before = this.#waiting;
    const isMore = await this.#read();
    this.#waiting = before.length === 0 ? this.#waiting : Buffer.concat([before, this.#waiting]);
    return isMore;
  }

  /** Puts what comes next in place of what waits. */
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
  // The digest of the file says that it is what was written.
  const row = JSON.parse(body.toString('utf8', 0, end)) as ArchivedSegmentRow;
  return { row, directory: body.subarray(end + 1) };
}

const noArchive = () => new Error('it is no archive of countergraph');
const cutOff = () => new Error('it ends in the middle');
const outOfOrder = () => new Error('its parts do not follow each other as those of an archive do');
