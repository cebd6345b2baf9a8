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
  readonly flush: () => Promise<void>;
  /** Rows of samples that were written, or wait to be. */
  readonly rowCount: () => number;
};

export function createReadingWriter(
  target: BatchTarget,
  batchRows: number = LIMITS.importBatchRows,
): ReadingWriter {
  let batch = createReadingBatch();
  let writtenRows = 0;
  return {
    add: (reading) => batch.add(reading),
    addTexts: (texts) => batch.addTexts(texts),
    isFull: () =>
      batch.rowCount() >= batchRows ||
      batch.textBytes() >= LIMITS.importBatchTextBytes ||
      // Readings too large for one row are rare; at once, or their batches could pile up.
      batch.rest() !== null,
    async flush() {
      const full = batch;
      batch = createReadingBatch();
      writtenRows += totalRows(full);
      await writeBatch(target, full);
    },
    rowCount: () => writtenRows + totalRows(batch),
  };
}

function totalRows(batch: ReadingBatch): number {
  const rest = batch.rest();
  return batch.rowCount() + (rest === null ? 0 : totalRows(rest));
}
