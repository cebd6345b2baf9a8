import type { Connection } from '../../db/connection/connection.ts';
import { pagePartitionOf } from '../../db/page-tables.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import type { OldSamples } from '../../db/write/convert/old-samples.ts';
import { ensurePagePartitionWithin } from '../../db/write/pages/page-partitions.ts';
import { isSealed, SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import type { BucketSpan } from '../../segments/blocks/levels.ts';
import {
  mergeRanges,
  RANGE_LIMITS,
  type RangeLimits,
  type RangeStream,
} from '../../segments/merge/merge-ranges.ts';
import { readDirectory } from '../../segments/pages/directory.ts';
import { segmentRanges } from '../read/segment-ranges.ts';
import { OPEN_RANGE_LIMITS } from '../write/range-limits.ts';
import { type WrittenSegment, writeSegment } from '../write/write-segment.ts';
import type { ConvertedGroup } from './converted-group.ts';
import { OldGatherer } from './old-gatherer.ts';

/** What the segments of a slice are written with, in its transaction. */
export type SliceWork = {
  readonly connection: Connection;
  readonly sliceId: number;
  /** Whether the slice is over: each group and probe then gets one sealed segment. */
  readonly isOver: boolean;
  /** The table of keys that ids refer to. */
  readonly keys: string;
  /** How many parts are merged at once. */
  readonly parts: number;
  /** Epoch seconds; serves as the import time of readings, which is no longer known. */
  readonly now: number;
};

/** Segments that were written: those that stay, and those that were merged into them. */
export type WrittenSegments = {
  readonly live: readonly WrittenSegment[];
  readonly dead: readonly WrittenSegment[];
};

/** Makes segments of the readings of one group and probe in a slice. */
export class PairWriter {
  readonly #work: SliceWork;
  readonly #group: ConvertedGroup;
  readonly #probeId: number;
  #gatherer: OldGatherer;
  /** Parts that are not merged yet. */
  #parts: WrittenSegment[] = [];
  readonly #dead: WrittenSegment[] = [];

  constructor(work: SliceWork, group: ConvertedGroup, probeId: number) {
    this.#work = work;
    this.#group = group;
    this.#probeId = probeId;
    this.#gatherer = new OldGatherer(group);
  }

  /** Rows that are gathered but not written yet. */
  get rowCount(): number {
    return this.#gatherer.rowCount;
  }

  get sizeBytes(): number {
    return this.#gatherer.sizeBytes;
  }

  /** Adds the current row of the samples. */
  add(samples: OldSamples): void {
    this.#gatherer.add(samples);
  }

  /** Writes the gathered rows as a part. If the slice is over, its parts become one segment. */
  async writePart(): Promise<void> {
    const { isOver, parts } = this.#work;
    this.#parts.push(await this.#writeGathered(0));
    if (!isOver) return;
    // With very many rows, parts are merged level by level, as digits of a number carry.
    for (let level = 0; ; level += 1) {
      const alike = this.#parts.filter((part) => part.level === level);
      if (alike.length < parts) break;
      await this.#merge(alike, level + 1);
    }
  }

  /** Writes the remaining rows. If the slice is over, merges everything into one segment. */
  async finish(): Promise<WrittenSegments> {
    if (this.#work.isOver && this.#parts.length > 0) {
      if (this.rowCount > 0) await this.writePart();
      await this.#merge(this.#parts, SEALED_LEVEL);
    } else if (this.rowCount > 0) {
      this.#parts.push(await this.#writeGathered(this.#work.isOver ? SEALED_LEVEL : 0));
    }
    return { live: this.#parts, dead: this.#dead };
  }

  async #writeGathered(level: number): Promise<WrittenSegment> {
    const { connection, keys } = this.#work;
    const gatherer = this.#gatherer;
    this.#gatherer = new OldGatherer(this.#group);
    const ranges = await gatherer.ranges(copiesOf(connection), keys, limitsAt(level));
    return this.#write(ranges, { level, span: gatherer.span });
  }

  async #merge(parts: readonly WrittenSegment[], level: number): Promise<void> {
    const { shape, codec } = this.#group;
    const source = copiesOf(this.#work.connection);
    const streams = parts.map((part) => {
      const directory = readDirectory(part.directory);
      return segmentRanges(source, { ...part, directory: () => directory }, codec);
    });
    const span = spanOfAll(parts);
    const merged = await this.#write(mergeRanges(streams, shape, limitsAt(level)), { level, span });
    this.#dead.push(...parts);
    this.#parts = [...this.#parts.filter((part) => !parts.includes(part)), merged];
  }

  async #write(
    ranges: RangeStream,
    { level, span }: { readonly level: number; readonly span: BucketSpan },
  ): Promise<WrittenSegment> {
    const { connection, sliceId, now: importedAt } = this.#work;
    const { groupId, shape, codec } = this.#group;
    const scope = { groupId, probeId: this.#probeId, sliceId, level, importedAt };
    await ensurePagePartitionWithin(connection, pagePartitionOf(scope));
    return writeSegment(connection, scope, { shape, codec, span, ranges });
  }
}

const limitsAt = (level: number): RangeLimits =>
  isSealed(level) ? RANGE_LIMITS : OPEN_RANGE_LIMITS;

const spanOfAll = (parts: readonly WrittenSegment[]): BucketSpan => ({
  first: Math.min(...parts.map(({ firstBucket }) => firstBucket)),
  last: Math.max(...parts.map(({ lastBucket }) => lastBucket)),
});
