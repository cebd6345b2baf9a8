import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Something to import. */
export type ImportSource = {
  /** What messages and the record of imports call it. */
  readonly name: string;
  /** As it is stored, so possibly compressed; null where nobody knows beforehand. */
  readonly sizeBytes: number | null;
  /** Whether `open` gives the same content every time. */
  readonly isRepeatable: boolean;
  readonly open: () => Readable;
};

export const stdinSource = (): ImportSource => ({
  name: 'standard input',
  sizeBytes: null,
  isRepeatable: false,
  open: () => process.stdin,
});

/** The file at `path`. A pipe or a device can be read only once. Fails when there is none. */
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
