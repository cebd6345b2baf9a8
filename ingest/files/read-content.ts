import type { Readable } from 'node:stream';
import { IngestError } from '../ingest-error.ts';
import { gunzip } from './gunzip.ts';
import type { ImportSource } from './import-source.ts';
import { isGzip, PACKED_HEAD_BYTES, refusePacked, refusePackedTwice } from './packed-content.ts';

/**
 * Reads the content of a source in blocks. Recognizes gzip by its first bytes rather than by a
 * name, because standard input has none. Calls `onBytes` with the number of bytes read, as stored.
 * Throws if the content is compressed in another way, or twice.
 */
export async function* readContent(
  source: ImportSource,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const blocks = counted(source.open(), onBytes);
  try {
    const stored = await withHead(blocks);
    if (!isGzip(stored.head)) {
      refusePacked(source, stored.head);
      yield* stored.all;
      return;
    }
    const content = await withHead(gunzip(stored.all));
    refusePackedTwice(source, content.head);
    yield* content.all;
  } catch (error) {
    throw explained(source, error);
  } finally {
    // Not waited for: the source may be a silent pipe.
    blocks.return(undefined).catch(() => {});
  }
}

/** Reads the bytes of a source as stored, in blocks. */
export async function* readStored(source: ImportSource): AsyncGenerator<Buffer> {
  try {
    yield* source.open();
  } catch (error) {
    throw explained(source, error);
  }
}

async function* counted(input: Readable, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const block of input) {
    onBytes(block.length);
    yield block;
  }
}

/** Returns the first bytes of blocks, and all of them: a pipe may deliver them one by one. */
async function withHead(
  blocks: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
  let head = Buffer.alloc(0);
  while (head.length < PACKED_HEAD_BYTES) {
    const { value, done } = await blocks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return { head, all: chain(head, blocks) };
}

async function* chain(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* rest;
}

function explained(source: ImportSource, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return error;
  }
  const what = error.code.startsWith('Z_') ? 'its gzip data is damaged' : 'it cannot be read';
  return new IngestError(`${source.name}: ${what}: ${error.message}`, { cause: error });
}
