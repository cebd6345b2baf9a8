import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { IngestError } from '../ingest-error.ts';
import type { ImportSource } from './import-source.ts';

/** Large blocks, because each costs a turn of the event loop. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Reads the content of a source in blocks. Recognizes gzip by its first bytes rather than by a
 * name, because standard input has none. Calls `onBytes` with the number of bytes read, as stored.
 */
export async function* readContent(
  source: ImportSource,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Buffer> {
  try {
    const blocks = counted(source.open(), onBytes);
    const head = await firstBytes(blocks, GZIP_MAGIC.length);
    const all = Readable.from(chain(head, blocks));
    if (!head.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) {
      yield* all;
      return;
    }
    // The callback is for errors, which reading from the stream also throws.
    yield* pipeline(all, createGunzip({ chunkSize: BLOCK_BYTES }), () => {});
  } catch (error) {
    throw explained(source, error);
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

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

async function* counted(input: Readable, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const block of input) {
    onBytes(block.length);
    yield block;
  }
}

/** Reads at least `count` bytes, or fewer at the end: a pipe may deliver them one by one. */
async function firstBytes(blocks: AsyncGenerator<Buffer>, count: number): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < count) {
    const { value, done } = await blocks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
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
