import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { type OldArchiveHeader, parseOldHeader, SECTION_END } from './old-archive-form.ts';

/** An open archive of version 0.7, read part by part. Memory holds one chunk. */
export type OldArchiveReader = {
  /** Of the file as it is on disk. */
  readonly digest: () => Promise<string>;
  readonly bytes: number;
  /** Reads from the start: the header, then the sections in order, each to its end. */
  readonly read: () => { header(): Promise<OldArchiveHeader>; section(): AsyncGenerator<Buffer> };
  readonly close: () => Promise<void>;
};

/**
 * Opens an old archive. Errors: those of the file system; not a regular file. Reading throws if the
 * file is damaged.
 */
export async function openOldArchive(file: string): Promise<OldArchiveReader> {
  // One handle serves all reads, so that nobody can swap the file between two of them.
  // O_NONBLOCK, because opening a pipe would otherwise wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await handle.stat();
  if (!stat.isFile()) {
    await handle.close();
    throw new Error('it is not a plain file');
  }
  const { size } = stat;
  let stop = () => {};
  return {
    bytes: size,
    async digest() {
      const hash = createHash('sha256');
      for await (const chunk of contentOf(handle)) hash.update(chunk);
      return hash.digest('hex');
    },
    read() {
      stop();
      const { parts, end } = readParts(handle);
      stop = end;
      return parts;
    },
    async close() {
      stop();
      await handle.close();
    },
  };
}

const CHUNK_BYTES = 256 * 1024;

/** Yields the file from its start. The handle's own stream would not release it before the end. */
async function* contentOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await handle.read({
      buffer: Buffer.allocUnsafe(CHUNK_BYTES),
      position,
    });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function readParts(handle: FileHandle) {
  const content = Readable.from(contentOf(handle), { objectMode: false });
  const unzipped = createGunzip();
  content.on('error', (error) => unzipped.destroy(error));
  // A pending read gets the error; after the end nobody is listening.
  unzipped.on('error', () => undefined);
  const chunks: AsyncIterator<Buffer> = content.pipe(unzipped)[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  /** Appends the next chunk to the rest; false at the end of the file. */
  async function fill(): Promise<boolean> {
    const { done, value } = await nextOf(chunks);
    if (done) return false;
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    return true;
  }

  const parts = {
    async header(): Promise<OldArchiveHeader> {
      let end = rest.indexOf('\n');
      while (end < 0) {
        if (rest.length > LIMITS.archiveHeaderBytes || !(await fill())) throw noArchive();
        end = rest.indexOf('\n');
      }
      const header = parseOldHeader(rest.toString('utf8', 0, end));
      if (!header) throw noArchive();
      rest = rest.subarray(end + 1);
      return header;
    },
    async *section(): AsyncGenerator<Buffer> {
      let isStart = true;
      for (;;) {
        const end = endOfSection(rest, isStart);
        if (end >= 0) {
          const last = rest.subarray(0, end);
          rest = rest.subarray(end + SECTION_END.length);
          if (last.length > 0) yield last;
          return;
        }
        // The end marker may span two chunks.
        const sure = Math.max(0, rest.length - SECTION_END.length);
        if (sure > 0) {
          const part = rest.subarray(0, sure);
          rest = rest.subarray(sure);
          isStart = false;
          yield part;
        }
        if (!(await fill())) throw new Error('it ends in the middle');
      }
    },
  };
  const end = () => {
    content.destroy();
    unzipped.destroy();
  };
  return { parts, end };
}

const AFTER_ROW = Buffer.concat([Buffer.from('\n'), SECTION_END]);

/** Returns where the line that ends a section begins; −1 if it is not in this text. */
function endOfSection(text: Buffer, isStart: boolean): number {
  if (isStart && text.subarray(0, SECTION_END.length).equals(SECTION_END)) return 0;
  const before = text.indexOf(AFTER_ROW);
  return before < 0 ? -1 : before + 1;
}

const noArchive = () => new Error('it is not an archive of countergraph');

async function nextOf(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  try {
    return await chunks.next();
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new Error(`it cannot be unpacked (${reason})`, { cause });
  }
}
