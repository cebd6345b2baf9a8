import { constants, createReadStream, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';

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
    open: () =>
      info.isFIFO() && WAITS_FOR_WRITER
        ? openPipe(path)
        : createReadStream(path, { highWaterMark: READ_BYTES }),
  };
}

/** Elsewhere, a pipe that is opened without blocking seems to have ended if nobody writes to it. */
const WAITS_FOR_WRITER = process.platform === 'linux';

/**
 * Opening a pipe that nobody writes to would block a thread, and with it the end of the process.
 * Without blocking, the stream waits for a writer, and can be destroyed meanwhile.
 */
const openPipe = (path: string): Readable =>
  new Socket({
    fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  });

const READ_BYTES = 256 * 1024;

/** Ends reading immediately when aborted, because a pipe may stay silent for long. */
export const untilAborted = (
  source: ImportSource,
  signal: AbortSignal | undefined,
): ImportSource => ({
  ...source,
  open: () => (signal ? addAbortSignal(signal, source.open()) : source.open()),
});
