import { LIMITS } from '../domain/limits.ts';
import {
  type BatchReading,
  createReadingBatch,
  type KeyWithTexts,
  type ReadingBatch,
} from './reading-batch.ts';
import { type BatchTarget, writeBatch } from './write-batch.ts';

/** Gathers readings in memory and writes them in batches of a bounded size. */
export type ReadingWriter = {
  readonly add: (reading: BatchReading) => void;
  readonly addTexts: (texts: KeyWithTexts) => void;
  /** Whether `flush` has to be called before more is added. */
  readonly isFull: () => boolean;
  /** Begins to write what was gathered; done when more can be gathered meanwhile. */
  readonly flush: () => Promise<void>;
  /** Writes all that is left, and is done when it is written. */
  readonly finish: () => Promise<void>;
  /** Done when nothing is being written any more, be it that it failed. */
  readonly settle: () => Promise<void>;
  /** Rows of samples that were written, or wait to be. */
  readonly rowCount: () => number;
};

/**
 * While one batch is written the next is gathered, so that PostgreSQL and this process both work:
 * at most two are in memory. What failed in writing is thrown by the next `flush` or `finish`.
 */
export function createReadingWriter(
  target: BatchTarget,
  batchRows: number = LIMITS.importBatchRows,
): ReadingWriter {
  let batch = createReadingBatch();
  let writing: Promise<void> = Promise.resolve();
  let writtenRows = 0;

  async function flush(): Promise<void> {
    const full = batch;
    batch = createReadingBatch();
    writtenRows += totalRows(full);
    await writing;
    writing = writeBatch(target, full);
    // Its failure is not lost: whoever waits for `writing` next is told.
    writing.catch(() => {});
  }

  return {
    add: (reading) => batch.add(reading),
    addTexts: (texts) => batch.addTexts(texts),
    isFull: () =>
      batch.rowCount() >= batchRows ||
      batch.textBytes() >= LIMITS.importBatchTextBytes ||
      // Readings too large for one row are rare; at once, or their batches could pile up.
      batch.rest() !== null,
    flush,
    async finish() {
      await flush();
      await writing;
    },
    settle: () => writing.catch(() => {}),
    rowCount: () => writtenRows + totalRows(batch),
  };
}

function totalRows(batch: ReadingBatch): number {
  const rest = batch.rest();
  return batch.rowCount() + (rest === null ? 0 : totalRows(rest));
}
