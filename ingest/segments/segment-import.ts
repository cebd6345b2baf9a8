import { LIMITS } from '../../domain/limits.ts';
import type { Interval } from '../../domain/time/interval.ts';
import { publishSegments } from '../../store/publish/publish-segments.ts';
import type { WrittenSegment } from '../../store/write/write-segment.ts';
import { DistinctCount } from './distinct-count.ts';
import { GatheredTexts, type KeyWithTexts } from './gathered-texts.ts';
import { SegmentBatch } from './segment-batch.ts';
import { type SegmentTarget, writeSegmentBatch } from './write-segment-batch.ts';

/** Maximum amount that is gathered in memory before it is written as segments. */
export type GatherLimits = { readonly rows: number; readonly bytes: number };

/**
 * A million readings or more make a segment that is worth reading. Their memory is bounded in bytes
 * too, because each may bring a key of its own.
 */
export const GATHER_LIMITS: GatherLimits = {
  rows: LIMITS.importBatchRows,
  bytes: LIMITS.importBatchBytes,
};

/** Number of rows added between two checks of the memory that they take. */
const LOOK_ROWS = 8192;

/**
 * Gathers the readings of an import in memory, and writes them as segments of bounded size. Texts
 * and the context's numbers, which others may wait for, are written last, when all else is done.
 */
export class SegmentImport {
  /** Rows of readings written: one for each key and bucket of each segment. */
  rowCount = 0;
  /** From the start of the first bucket to the end of the last that was written; null: none was. */
  span: Interval | null = null;
  /** The distinct keys of what was written. */
  readonly keys = new DistinctCount();
  readonly #target: SegmentTarget;
  readonly #sliceSeconds: number;
  readonly #limits: GatherLimits;
  readonly #written: WrittenSegment[] = [];
  readonly #texts = new GatheredTexts();
  #batch: SegmentBatch;
  #nextLook = LOOK_ROWS;
  /** Whether readings so far mostly had the same keys and buckets. */
  #combinesMuch = true;
  /** Rows of the batch that are gone because they were combined with others. */
  #combinedRows = 0;

  constructor(target: SegmentTarget, sliceSeconds: number, limits = GATHER_LIMITS) {
    this.#target = target;
    this.#sliceSeconds = sliceSeconds;
    this.#limits = limits;
    this.#batch = new SegmentBatch(sliceSeconds, target.databaseNow);
  }

  /** The batch that readings are added to. It is another one after waiting for `makeRoom`. */
  get batch(): SegmentBatch {
    return this.#batch;
  }

  addTexts(texts: KeyWithTexts): void {
    this.#texts.add(texts);
  }

  /** Rows in memory and written, including rows in memory that are not combined yet. */
  get takenCount(): number {
    return this.rowCount + this.#batch.rowCount;
  }

  /** Called regularly. Returns what to wait for before more is added, or null. */
  makeRoom(): Promise<void> | null {
    if (this.#texts.sizeBytes >= LIMITS.importBatchTextBytes) {
      return this.#texts.putAside(this.#target.connection);
    }
    const { rowCount } = this.#batch;
    if (rowCount < this.#nextLook && rowCount < this.#limits.rows) return null;
    this.#nextLook = rowCount + LOOK_ROWS;
    if (!this.#isFull()) return null;
    // Flows mostly have few keys and buckets, so many more readings fit after combining.
    if (this.#combinesMuch) {
      this.#batch.combine();
      const left = this.#batch.rowCount;
      this.#combinedRows += rowCount - left;
      this.#combinesMuch = left < this.#combinedRows;
      this.#nextLook = left + LOOK_ROWS;
      if (left <= rowCount / 2 && !this.#isFull()) return null;
    }
    return this.finish();
  }

  #isFull(): boolean {
    const { rowCount, sizeBytes } = this.#batch;
    return rowCount >= this.#limits.rows || sizeBytes >= this.#limits.bytes;
  }

  /** Writes all readings that are left. */
  async finish(): Promise<void> {
    const full = this.#batch;
    this.#batch = new SegmentBatch(this.#sliceSeconds, this.#target.databaseNow);
    this.#nextLook = LOOK_ROWS;
    this.#combinedRows = 0;
    for (const { group, readings, first, last } of full.segments()) {
      this.keys.add(group.groupId, readings.keys);
      if (readings.rowCount > 0) this.#extend({ from: first, to: last + group.bucketSeconds });
    }
    const written = await writeSegmentBatch(this.#target, full);
    for (const { rowCount } of written) this.rowCount += rowCount;
    this.#written.push(...written);
  }

  #extend({ from, to }: Interval): void {
    const before = this.span ?? { from, to };
    this.span = { from: Math.min(from, before.from), to: Math.max(to, before.to) };
  }

  /**
   * Writes the texts and publishes everything written, as the last step of the import's
   * transaction, which must then be committed at once. Returns the number of segments.
   */
  async publish(): Promise<number> {
    const { connection, contextId, now } = this.#target;
    await this.#texts.write(connection);
    if (this.#written.length === 0) return 0;
    await publishSegments(connection, {
      contextId,
      changes: 'data',
      added: this.#written,
      removed: [],
      at: now(),
    });
    return this.#written.length;
  }
}
