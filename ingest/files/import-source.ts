import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** A source to import. */
export type ImportSource = {
  /** Its name in messages and in the record of imports. */
  readonly name: string;
  /** Size as stored, so possibly compressed; null if it is not known beforehand. */
  readonly sizeBytes: number | null;
  /** Whether `open` returns the same content every time. */
  readonly isRepeatable: boolean;
  readonly open: () => Readable;
};

export const stdinSource = (): ImportSource => ({
  name: 'standard input',
  sizeBytes: null,
  isRepeatable: false,
  open: () => process.stdin,
});

/**
 * Returns the file at `path` as a source. A pipe or a device can be read only once. Throws if there
 * is no such file.
 */
export async function fileSource(path: string): Promise<ImportSource> {
  const info = await stat(path);
  const isRepeatable = info.isFile();
  return {
    name: path,
    sizeBytes: isRepeatable ? info.size : null,
    isRepeatable,
    open: () => createReadStream(path, { highWaterMark: READ_BYTES }),
  };
}

const READ_BYTES = 256 * 1024;
