import { Readable } from 'node:stream';
import type { ImportSource } from '../../ingest/files/import-source.ts';

/** A file in memory, read in one block or in blocks of `blockBytes`. */
export function textSource(
  content: string | Buffer,
  { name = 'test.log', blockBytes = 64 * 1024, isRepeatable = true } = {},
): ImportSource {
  const bytes = Buffer.from(content);
  return {
    name,
    sizeBytes: isRepeatable ? bytes.length : null,
    isRepeatable,
    open: () => Readable.from(blocks(bytes, blockBytes)),
  };
}

function* blocks(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
