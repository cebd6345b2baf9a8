import { blockGroups, writeGroupColumn, writeGroupOrdinals } from '../blocks/block-group.ts';
import { hasHeads, writeGroupHeads } from '../blocks/heads.ts';
import { type BucketSpan, hasSeries, levelsOf } from '../blocks/levels.ts';
import { seriesChunks, seriesOf, writeSeriesColumn, writeSeriesEntries } from '../blocks/series.ts';
import { ByteWriter } from '../codes/bytes.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { compareKeys, type KeyList, keyAt, oneKey } from '../keys/key-list.ts';
import { SECTION_KEYS, writeKeySection } from '../keys/key-section.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { combineReadings, type Readings } from '../readings/readings.ts';
import { readingsByStep } from '../readings/readings-by-step.ts';
import type { SegmentShape } from '../shape.ts';
import { type ListedDirectory, type ListedRange, writeDirectory } from './directory.ts';
import { type ListedSection, PageCutter, type StoredPage } from './page-cutter.ts';

/*
 * A segment holds the readings of a counter group over a span of time, and never changes. It is an
 * ascending sequence of *ranges of keys*. Each range has its own sorted dictionary, its blocks and
 * its series, and depends on no other range. So a segment with any number of keys is written,
 * merged and checked in the memory of one range, and a read of a few keys touches one range.
 *
 * Within a range, a key is identified by its rank in the dictionary, its *ordinal*. The same
 * readings are stored three times, once for each kind of query: by bucket, added up over longer
 * steps (levels), and transposed by key (series). Numbers are small and keys take few bytes, so all
 * of it together takes less than the header of a row in a table (docs/adr/0013-segments.md has the
 * figures).
 *
 * A range is written in this order:
 *
 *     keys      sections of up to 4,096
 *     blocks    of each level, the coarsest first. Neighbouring blocks form a group, with one
 *               section for the ordinals and one for the values of each meter; for long blocks of
 *               many keys also one for the heads of each meter
 *     series    chunks of neighbouring keys, with one section for the entries and one for the
 *               values of each meter
 *
 * Sections fill pages of 16 KiB (page-cutter.ts), and the directory says where they lie.
 */

type SegmentOptions = {
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  /** The span of all ranges that will be added. */
  readonly span: BucketSpan;
  /** A random number below 2^32. */
  readonly nonce: number;
  /**
   * Whether it is a roll-up (segments/roll-up/roll-up-shape.ts): only the keys of its buckets are
   * written.
   */
  readonly isRollUp?: boolean;
};

/** A finished segment: its directory, its last pages, and its size for the manifest. */
type FinishedSegment = {
  readonly directory: Uint8Array;
  /** The pages that addRange has not returned yet. */
  readonly pages: readonly StoredPage[];
  readonly keyCount: number;
  /** One per key and bucket. */
  readonly rowCount: number;
};

export class SegmentWriter {
  readonly #options: SegmentOptions;
  readonly #cutter: PageCutter;
  readonly #ranges: ListedRange[] = [];
  #totals: Readings | null = null;

  constructor(options: SegmentOptions) {
    this.#options = options;
    this.#cutter = new PageCutter(options.nonce);
  }

  /** Adds a range whose keys come after those of all ranges so far. Returns pages to store. */
  addRange({ keys, readings }: KeyRange): StoredPage[] {
    if (keys.count === 0 || keys.count !== readings.keyCount) {
      throw new Error(`a range of ${keys.count} keys has readings of ${readings.keyCount}`);
    }
    const { shape, span } = this.#options;
    this.#requireAscending(keys);
    const { topperBucketSeconds } = shape;
    const levels = levelsOf(shape, span).toReversed();
    const byStep = readingsByStep(readings, shape, [...levels, topperBucketSeconds]);
    const byTopperBucket = byStep.get(topperBucketSeconds) ?? readings;
    this.#addTotals(byTopperBucket);
    this.#ranges.push({
      keyCount: keys.count,
      rowCount: readings.ordinals.length,
      firstKey: keyAt(keys, 0),
      lastKey: keyAt(keys, keys.count - 1),
      keys: this.#writeKeys(keys),
      sectionKeys: firstKeysOfSections(keys).slice(1),
      levels: levels.map((stepSeconds) => ({
        stepSeconds,
        groups: this.#writeLevel(
          { keys, readings: byStep.get(stepSeconds) ?? readings },
          stepSeconds,
        ),
      })),
      series: hasSeries(shape, span) ? this.#writeSeries(byTopperBucket) : [],
    });
    return this.#cutter.takeClosed();
  }

  finish(): FinishedSegment {
    const { shape, span, nonce } = this.#options;
    const pageCount = this.#cutter.finish();
    const directory: ListedDirectory = {
      nonce,
      slots: shape.folds.length,
      span,
      pageCount,
      ranges: this.#ranges,
      totals: this.#writeTotals(),
    };
    return {
      directory: writeDirectory(directory),
      pages: this.#cutter.takeClosed(),
      keyCount: this.#ranges.reduce((sum, { keyCount }) => sum + keyCount, 0),
      rowCount: this.#ranges.reduce((sum, { rowCount }) => sum + rowCount, 0),
    };
  }

  #requireAscending(keys: KeyList): void {
    const before = this.#ranges.at(-1);
    if (before && compareKeys(oneKey(before.lastKey), 0, keys, 0) >= 0) {
      throw new Error('ranges of keys must ascend');
    }
  }

  #writeKeys(keys: KeyList): ListedSection[] {
    const sections: ListedSection[] = [];
    for (let from = 0; from < keys.count; from += SECTION_KEYS) {
      const to = Math.min(from + SECTION_KEYS, keys.count);
      const out = new ByteWriter();
      writeKeySection(out, keys, from, to, this.#options.codec);
      sections.push(this.#cutter.add(out.take()));
    }
    return sections;
  }

  #writeLevel(level: KeyRange, stepSeconds: number) {
    const { shape, codec, isRollUp = false } = this.#options;
    const { bucketSeconds, folds } = shape;
    const { keys, readings } = level;
    const hasReadings = !(isRollUp && stepSeconds === bucketSeconds);
    const isWithHeads = hasReadings && hasHeads(keys.count, stepSeconds);
    return blockGroups(readings).map((buckets) => {
      const first = readings.starts[buckets.from] as number;
      const times = { stepSeconds, first };
      return {
        firstStart: first,
        lastStart: readings.starts[buckets.to - 1] as number,
        ordinals: this.#cutter.add(writeGroupOrdinals(readings, buckets, times)),
        columns: folds.map((_, meterIndex) =>
          this.#cutter.add(hasReadings ? writeGroupColumn(readings, buckets, meterIndex) : null),
        ),
        heads: (isWithHeads ? folds : []).map((fold, meterIndex) =>
          this.#cutter.add(writeGroupHeads({ level, meterIndex, fold, codec }, buckets, times)),
        ),
      };
    });
  }

  #writeSeries(readings: Readings) {
    const { shape, span } = this.#options;
    const series = seriesOf(readings, shape, span);
    return seriesChunks(series).map((keys) => ({
      keyCount: keys.to - keys.from,
      entries: this.#cutter.add(writeSeriesEntries(series, keys)),
      columns: shape.folds.map((_, meterIndex) =>
        this.#cutter.add(writeSeriesColumn(series, keys, meterIndex)),
      ),
    }));
  }

  #addTotals(readings: Readings): void {
    const { folds, topperBucketSeconds } = this.#options.shape;
    const grid = { keyCount: 1, stepSeconds: topperBucketSeconds, folds };
    const asOneKey = new Uint32Array(readings.keyCount);
    const own = combineReadings([{ readings, ordinalMap: asOneKey }], grid);
    const parts = this.#totals === null ? [own] : [this.#totals, own];
    this.#totals = combineReadings(
      parts.map((part) => ({ readings: part, ordinalMap: null })),
      grid,
    );
  }

  #writeTotals(): Uint8Array[] {
    const { shape, span } = this.#options;
    const { topperBucketSeconds: stepSeconds, folds } = shape;
    const totals = this.#totals;
    if (totals === null) throw new Error('a segment has at least one range of keys');
    const all = { from: 0, to: totals.starts.length };
    const first = span.first - (span.first % stepSeconds);
    return [
      writeGroupOrdinals(totals, all, { stepSeconds, first }),
      ...folds.map(
        (_, meterIndex) => writeGroupColumn(totals, all, meterIndex) ?? new Uint8Array(0),
      ),
    ];
  }
}

function firstKeysOfSections(keys: KeyList): Uint8Array[] {
  const first: Uint8Array[] = [];
  for (let i = 0; i < keys.count; i += SECTION_KEYS) first.push(keyAt(keys, i));
  return first;
}
