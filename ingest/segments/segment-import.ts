import { publishSegments } from '../../store/publish/publish-segments.ts';
import type { WrittenSegment } from '../../store/write/write-segment.ts';
import { SegmentBatch } from './segment-batch.ts';
import { type SegmentTarget, writeSegmentBatch } from './write-segment-batch.ts';

/** What is gathered in memory before it is written as segments. */
export type GatherLimits = { readonly rows: number; readonly bytes: number };

/**
 * A million readings and more make a segment that is worth reading; their memory is bounded by
 * bytes too, as each may bring a key of its own.
 */
export const GATHER_LIMITS: GatherLimits = { rows: 1_500_000, bytes: 160 * 1024 * 1024 };

/** How many rows are added between two looks at the memory that they take. */
const LOOK_ROWS = 8192;

/** Gathers the readings of an import in memory and writes them as segments of a bounded size. */
export class SegmentImport {
  /** Rows of readings that were written: one a key and bucket, of each segment. */
  rowCount = 0;
  readonly #target: SegmentTarget;
  readonly #sliceSeconds: number;
  readonly #limits: GatherLimits;
  readonly #written: WrittenSegment[] = [];
  #batch: SegmentBatch;
  #nextLook = LOOK_ROWS;

  constructor(target: SegmentTarget, sliceSeconds: number, limits = GATHER_LIMITS) {
    this.#target = target;
    this.#sliceSeconds = sliceSeconds;
    this.#limits = limits;
    this.#batch = new SegmentBatch(sliceSeconds);
  }

  /** Where readings are added. Another one once `makeRoom` was waited for. */
  get batch(): SegmentBatch {
    return this.#batch;
  }

  /** To be called now and then: null, or what to wait for before more is added. */
  makeRoom(): Promise<void> | null {
    const { rowCount } = this.#batch;
    if (rowCount < this.#nextLook && rowCount < this.#limits.rows) return null;
    this.#nextLook = rowCount + LOOK_ROWS;
    const isFull = rowCount >= this.#limits.rows || this.#batch.sizeBytes >= this.#limits.bytes;
    return isFull ? this.#flush() : null;
  }

  /**
   * Writes all that is left and publishes all that was written, as the last step of the import's
   * transaction. Gives how many segments there are.
   */
  async finish(): Promise<number> {
    await this.#flush();
    const { connection, contextId, now } = this.#target;
    if (this.#written.length === 0) return 0;
    await publishSegments(connection, {
      contextId,
      changes: 'data',
      born: this.#written,
      died: [],
      at: now(),
    });
    return this.#written.length;
  }

  async #flush(): Promise<void> {
    const full = this.#batch;
    this.#batch = new SegmentBatch(this.#sliceSeconds);
    this.#nextLook = LOOK_ROWS;
    const written = await writeSegmentBatch(this.#target, full);
    for (const { rowCount } of written) this.rowCount += rowCount;
    this.#written.push(...written);
  }
}
