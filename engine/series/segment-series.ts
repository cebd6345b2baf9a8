import { hasSeries, WHOLE_SPAN } from '../../segments/blocks/levels.ts';
import { topperBuckets } from '../../segments/blocks/series.ts';
import { columnPart } from '../../segments/codes/column.ts';
import { findOneKey, type KeyList } from '../../segments/keys/key-list.ts';
import type { LocatedChunk } from '../../segments/pages/directory.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import type { SegmentBlocks } from '../fetch/segment-blocks.ts';
import { readKeySeries, type SegmentSeries } from '../kernel/blocks/segment-series.ts';
import type { BlockRun } from '../kernel/cover/cover.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import { type SectionWishes, type SegmentReader, segmentName } from '../snapshot/segment-reader.ts';

/** Keys of a segment whose series of the meter at index `meterIndex` are requested. */
export type SeriesWanted = {
  readonly group: SegmentGroup;
  readonly segment: StoredSegment;
  readonly keys: KeyList;
  readonly meterIndex: number;
  /** null: no key of the group. */
  readonly wanted: readonly (WantedKey | null)[];
};

/** compact: a list of this one key. */
export type WantedKey = { readonly key: string; readonly compact: KeyList };

/** A key's series, to be read from a chunk. */
type MissingSeries = { readonly name: string; readonly row: WantedRow; readonly into: WantedRows };

/** By index of the requested key. */
type WantedRows = (SegmentSeries | null)[];
type WantedRow = { readonly ordinal: number; readonly keyIndex: number };

/** A chunk from which the series of some keys are read. */
type MissingChunk = {
  readonly group: SegmentGroup;
  readonly segment: StoredSegment;
  readonly meterIndex: number;
  readonly chunk: LocatedChunk;
  readonly firstOrdinal: number;
  readonly series: MissingSeries[];
};

/** The series of keys in segments. Series that are not cached are read. */
export class SegmentSeriesReads {
  readonly #reader: SegmentReader;
  readonly #blocks: SegmentBlocks;
  readonly #missing = new Map<string, MissingChunk>();

  /** `blocks`: used in place of series for segments that lie in one topper bucket. */
  constructor(reader: SegmentReader, blocks: SegmentBlocks) {
    this.#reader = reader;
    this.#blocks = blocks;
  }

  /**
   * Requests the series of keys. Returns a function to call after `decode`, which returns the
   * series in the order of the keys, by topper bucket counted from the segment's first. null: the
   * segment has no such key, or the key has no reading.
   */
  async want(
    each: SeriesWanted,
    wishes: SectionWishes,
  ): Promise<() => readonly (SegmentSeries | null)[]> {
    const { segment, group, meterIndex, keys, wanted } = each;
    if (!hasSeries(group.shape, segment.directory().span)) {
      this.#blocks.want(segment, onlyRun(segment, group), meterIndex, wishes);
      return () => this.#ofBlock(each);
    }
    const found: WantedRows = wanted.map(() => null);
    const prefix = `${segmentName(this.#reader, segment)} ${meterIndex}`;
    for (const [i, key] of wanted.entries()) {
      await this.#reader.afterKeys(1);
      if (key === null) continue;
      // Not by its ordinal, because the search for that would take longer than all else here.
      const name = `${prefix} ${key.key}`;
      const known = this.#reader.memory.find('series', name);
      const ordinal = known ? null : ordinalOf(keys, key);
      if (known) found[i] = known;
      if (ordinal === null) continue;
      this.#miss(each, { name, row: { ordinal, keyIndex: i }, into: found }, wishes);
    }
    return () => found;
  }

  #miss(
    { segment, group, meterIndex }: SeriesWanted,
    each: MissingSeries,
    wishes: SectionWishes,
  ): void {
    const { chunk, firstOrdinal } = chunkOf(segment, each.row.ordinal);
    const name = `${segmentName(this.#reader, segment)} ${meterIndex} ${firstOrdinal}`;
    const known = this.#missing.get(name);
    if (known) {
      known.series.push(each);
      return;
    }
    this.#missing.set(name, { group, segment, meterIndex, chunk, firstOrdinal, series: [each] });
    wishes.add(segment, [chunk.entries, chunk.columns[meterIndex] ?? null]);
  }

  /** Decodes the chunks that were read; the caller decodes the blocks. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: StoredSegment) => Sections): Promise<void> {
    for (const missing of this.#missing.values()) {
      const stored = storedChunk(missing, sectionsOf(missing.segment));
      const ordinals = new Set(missing.series.map(({ row }) => row.ordinal));
      const read = readKeySeries(stored, [...ordinals]);
      for (const { name, row, into } of missing.series) {
        const series = read.get(row.ordinal) ?? null;
        into[row.keyIndex] = series;
        if (series) this.#reader.memory.keep('series', name, series);
      }
      await this.#reader.pause();
    }
    this.#missing.clear();
  }

  /** Returns the series for a segment that lies in one topper bucket: its block has the values. */
  #ofBlock({ segment, group, meterIndex, keys, wanted }: SeriesWanted): WantedRows {
    const [block] = this.#blocks.of(segment, onlyRun(segment, group), meterIndex);
    return wanted.map((key) => {
      const ordinal = key && ordinalOf(keys, key);
      const row = block && ordinal !== null ? rowOf(block.ids, ordinal) : -1;
      if (!block?.column || row < 0) return null;
      return { ids: Uint32Array.of(0), columns: [columnPart(block.column, row, row + 1)] };
    });
  }
}

/** null: the segment has no such key. */
function ordinalOf(keys: KeyList, { compact }: WantedKey): number | null {
  const { ordinal, isThere } = findOneKey(keys, compact);
  return isThere ? ordinal : null;
}

/** Returns the block of the whole of a segment that lies in one topper bucket. */
function onlyRun(segment: StoredSegment, { shape }: SegmentGroup): BlockRun {
  const { span } = segment.directory();
  const level = span.first === span.last ? shape.bucketSeconds : WHOLE_SPAN;
  return { level, from: span.first, to: span.last + shape.bucketSeconds };
}

function chunkOf(segment: StoredSegment, ordinal: number) {
  let firstOrdinal = 0;
  for (const { keyCount, series } of segment.directory().ranges) {
    if (ordinal >= firstOrdinal + keyCount) {
      firstOrdinal += keyCount;
      continue;
    }
    for (const chunk of series) {
      if (ordinal < firstOrdinal + chunk.keyCount) return { chunk, firstOrdinal };
      firstOrdinal += chunk.keyCount;
    }
  }
  throw new Error(`segment ${segment.segmentId} has no series of key ${ordinal}`);
}

function storedChunk(
  { group, segment, meterIndex, chunk, firstOrdinal }: MissingChunk,
  sections: Sections,
) {
  const { count } = topperBuckets(segment.directory().span, group.shape.topperBucketSeconds);
  const column = chunk.columns[meterIndex] ?? null;
  if (chunk.entries === null) throw new Error('a chunk has entries');
  return {
    firstOrdinal,
    keyCount: chunk.keyCount,
    topperBuckets: count,
    entries: sections(chunk.entries),
    column: column && sections(column),
  };
}

/** Returns the index of an ordinal among ascending ones; −1 if it is not among them. */
export function rowOf(ids: Uint32Array, ordinal: number): number {
  let from = 0;
  let to = ids.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ids[middle] as number) < ordinal) from = middle + 1;
    else to = middle;
  }
  return ids[from] === ordinal ? from : -1;
}
