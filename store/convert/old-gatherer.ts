import type { CopySource } from '../../db/session/copy-source.ts';
import {
  KEY_ID_BYTES,
  type OldSamples,
  type TakeNumber,
} from '../../db/write/convert/old-samples.ts';
import type { BucketSpan } from '../../segments/blocks/levels.ts';
import { KeyTable } from '../../segments/gather/key-table.ts';
import { ReadingGatherer } from '../../segments/gather/reading-gatherer.ts';
import type { RangeLimits } from '../../segments/merge/merge-ranges.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import type { ConvertedGroup } from './converted-group.ts';
import { loadKeysOfIds } from './load-keys-of-ids.ts';

/**
 * Gathers samples of one group and probe from the old table. Its rows refer to keys by ids, whose
 * texts are looked up only when the rows are written, for all ids at once. So no row is joined, and
 * memory holds only the keys of gathered rows.
 */
export class OldGatherer {
  readonly #group: ConvertedGroup;
  /** Ids, at the index that their key will have. */
  readonly #ids = new KeyTable();
  readonly #readings: ReadingGatherer;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #source: OldSamples | null = null;
  #row = NO_ROW;

  constructor(group: ConvertedGroup) {
    this.#group = group;
    this.#readings = new ReadingGatherer(group.shape);
  }

  get rowCount(): number {
    return this.#readings.rowCount;
  }

  get sizeBytes(): number {
    return this.#ids.sizeBytes + this.#readings.sizeBytes;
  }

  /** Span of all rows; there must be at least one. */
  get span(): BucketSpan {
    return { first: this.#first, last: this.#last };
  }

  /** Adds the current row of the samples, if it has any reading. */
  add(samples: OldSamples): void {
    this.#source = samples;
    this.#row = NO_ROW;
    samples.eachReading(this.#putValue);
    if (this.#row !== NO_ROW) samples.eachCount(this.#putCount);
  }

  /**
   * Returns all rows, with keys in place of ids, looked up in `table`. No row may be added
   * afterwards.
   */
  async ranges(
    source: CopySource,
    table: string,
    limits: RangeLimits,
  ): Promise<Iterable<KeyRange>> {
    const request = { table, ids: this.#ids, group: this.#group };
    await loadKeysOfIds(source, request, this.#readings.keys);
    return this.#readings.ranges(limits);
  }

  readonly #putValue: TakeNumber = (meterIndex, value) => {
    if ((this.#group.shape.folds[meterIndex] ?? null) === null) return;
    if (this.#row === NO_ROW) this.#row = this.#addRow();
    this.#readings.putValue(meterIndex, this.#row, value);
  };

  readonly #putCount: TakeNumber = (meterIndex, count) => {
    this.#readings.putCount(meterIndex, this.#row, count);
  };

  #addRow(): number {
    const samples = this.#source;
    if (!samples) throw new Error('a value without a row');
    const { bucket, bytes, keyIdAt } = samples;
    this.#first = Math.min(this.#first, bucket);
    this.#last = Math.max(this.#last, bucket);
    const index = this.#ids.indexOf(bytes, keyIdAt, keyIdAt + KEY_ID_BYTES);
    return this.#readings.addRow(bucket, index);
  }
}

const NO_ROW = -1;
