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

type SpoolOptions = {
  readonly signal?: AbortSignal | undefined;
  /** What to do if there is no room for a copy, in addition to what is always possible. */
  readonly remedy?: string;
};

/**
 * Passes on a source that can be read again: a pipe is copied to a temporary file for that, to
 * bound memory. A copy is gone when `work` is done.
 */
export async function withRepeatable<T>(
  source: ImportSource,
  options: SpoolOptions,
  work: (repeatable: ImportSource) => Promise<T>,
): Promise<T> {
  if (source.isRepeatable) return work(source);
  const spooled = await spoolSource(source, options);
  try {
    return await work(spooled.source);
  } finally {
    await spooled.remove();
  }
}

/**
 * Copies a source that can be read only once to a temporary file, which can be read again. The file
 * has no name from the start, so nothing of it remains, however the process ends.
 */
async function spoolSource(
  source: ImportSource,
  { signal, remedy = '' }: SpoolOptions,
): Promise<SpooledSource> {
  const failed = (error: unknown) => notKept(source, remedy, error);
  const file = await openNameless(failed);
  try {
    let sizeBytes = 0;
    for await (const block of readStored(untilAborted(source, signal))) {
      await write(file, block, failed);
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

/** Returns the error that says what to do. */
type Failed = (error: unknown) => IngestError;

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

async function openNameless(failed: Failed): Promise<FileHandle> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'countergraph-import-'));
    try {
      return await open(join(folder, 'content'), 'wx+', 0o600);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (error) {
    throw failed(error);
  }
}

async function write(file: FileHandle, block: Buffer, failed: Failed): Promise<void> {
  try {
    // Appends to what was written before, and returns only when all is written.
    await file.writeFile(block);
  } catch (error) {
    throw failed(error);
  }
}

function notKept({ name }: ImportSource, remedy: string, error: unknown): IngestError {
  const reason = reasonOf(error);
  return new IngestError(
    `${name}: it must be scanned before it is read, and cannot be stored in ${tmpdir()} until ` +
      `then: ${reason}: name a file instead, set TMPDIR to a folder with more space${remedy}`,
    { cause: error },
  );
}
