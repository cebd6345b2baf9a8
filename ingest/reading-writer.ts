import { LIMITS } from '../domain/limits.ts';
import { ReadingBatch } from './reading-batch.ts';
import { type BatchTarget, writeBatch } from './write-batch.ts';

/** Gathers readings in memory and writes them in batches of a bounded size. */
export type ReadingWriter = {
  /** Where readings are added. Another one once `makeRoom` was waited for. */
  readonly batch: () => ReadingBatch;
  /** To be called now and then: null, or what to wait for before more is added. */
  readonly makeRoom: () => Promise<void> | null;
  /** Writes all that is left, and is done when it is written. */
  readonly finish: () => Promise<void>;
  /** Done when nothing is being written any more, be it that it failed. */
  readonly settle: () => Promise<void>;
  /** Rows of samples that were written. */
  readonly rowCount: () => number;
};

/**
 * While one batch is written the next is gathered, so that PostgreSQL and this process both work:
 * at most two are in memory. What failed in writing is thrown by whoever waits for it next.
 */
export function createReadingWriter(
  target: BatchTarget,
  batchRows: number = LIMITS.importBatchRows,
): ReadingWriter {
  let batch = new ReadingBatch(target.keyIds.tables());
  let writing: Promise<void> = Promise.resolve();
  let writtenRows = 0;
  /** Whether readings are mostly of the same keys and buckets, as flows' are; at first, perhaps. */
  let combinesMuch = true;

  async function flush(): Promise<void> {
    const full = batch;
    batch = new ReadingBatch(target.keyIds.tables());
    await writing;
    writing = write(full);
    // Its failure is not lost: whoever waits for `writing` next is told.
    writing.catch(() => {});
  }

  async function write(full: ReadingBatch): Promise<void> {
    const rows = await writeBatch(target, full);
    combinesMuch = rows < full.addedCount / 2;
    writtenRows += rows;
  }

  return {
    batch: () => batch,
    makeRoom() {
      if (batch.textBytes() >= LIMITS.importBatchTextBytes) return flush();
      if (batch.rowCount < batchRows) return null;
      if (combinesMuch) batch.compact();
      return batch.rowCount > batchRows / 2 ? flush() : null;
    },
    async finish() {
      await flush();
      await writing;
      await target.sink.finish();
    },
    settle: () => writing.catch(() => {}),
    rowCount: () => writtenRows,
  };
}
