import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { IngestError } from '../ingest-error.ts';
import { type ImportSource, untilAborted } from './import-source.ts';
import { readStored } from './read-content.ts';

type SpooledSource = {
  readonly source: ImportSource;
  readonly remove: () => Promise<void>;
};

/**
 * Copies a source that can be read only once to a temporary file, which can be read again. The file
 * has no name from the start, so nothing of it remains, however the process ends.
 */
export async function spoolSource(
  source: ImportSource,
  signal: AbortSignal | undefined,
): Promise<SpooledSource> {
  const file = await openNameless(source);
  try {
    let sizeBytes = 0;
    for await (const block of readStored(untilAborted(source, signal))) {
      await write(file, block, source);
      sizeBytes += block.length;
    }
    const open = () => Readable.from(blocksOf(file, sizeBytes));
    return {
      source: { name: source.name, sizeBytes, isRepeatable: true, open },
      remove: () => file.close(),
    };
  } catch (error) {
    await file.close();
    signal?.throwIfAborted();
    throw error;
  }
}

const READ_BYTES = 256 * 1024;

async function* blocksOf(file: FileHandle, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < sizeBytes; ) {
    const block = Buffer.allocUnsafe(Math.min(READ_BYTES, sizeBytes - at));
    const { bytesRead } = await file.read(block, 0, block.length, at);
    if (bytesRead === 0) throw new Error('a temporary file was cut off');
    yield block.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function openNameless(source: ImportSource): Promise<FileHandle> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'countergraph-import-'));
    try {
      return await open(join(folder, 'content'), 'wx+', 0o600);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (error) {
    throw notKept(source, error);
  }
}

async function write(file: FileHandle, block: Buffer, source: ImportSource): Promise<void> {
  try {
    // Appends to what was written before, and returns only when all is written.
    await file.writeFile(block);
  } catch (error) {
    throw notKept(source, error);
  }
}

function notKept({ name }: ImportSource, error: unknown): IngestError {
  const reason = reasonOf(error);
  return new IngestError(
    `${name}: it must be scanned before it is imported, and cannot be stored in ` +
      `${tmpdir()} until then: ${reason}: name a file instead, set TMPDIR to a folder with more ` +
      'space, or give --service-port destination',
    { cause: error },
  );
}
