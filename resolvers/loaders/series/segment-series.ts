import { hasSeries, WHOLE_SPAN } from '../../../segments/blocks/levels.ts';
import { topperBuckets } from '../../../segments/blocks/series.ts';
import { findKey, type KeyList } from '../../../segments/keys/key-list.ts';
import type { PlacedChunk } from '../../../segments/pages/directory.ts';
import type { Sections } from '../../../segments/pages/sections.ts';
import { columnPart } from '../../../segments/readings/column.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import type { BlockRun } from '../../../topk/cover.ts';
import { readKeySeries, type SegmentSeries } from '../../../topk/segment-series.ts';
import type { SegmentBlocks } from '../blocks/segment-blocks.ts';
import type { SegmentGroup } from '../plan/key-questions.ts';
import { type SectionWishes, type SegmentReader, segmentName } from '../session/segment-reader.ts';

/** Keys of a segment whose series of the meter at `place` are wanted. */
export type SeriesWanted = {
  readonly group: SegmentGroup;
  readonly segment: StoredSegment;
  readonly keys: KeyList;
  readonly place: number;
  /** Compact. */
  readonly wanted: readonly Uint8Array[];
};

/** A chunk of which some keys are to be read. */
type MissingChunk = {
  readonly group: SegmentGroup;
  readonly segment: StoredSegment;
  readonly place: number;
  readonly chunk: PlacedChunk;
  readonly firstOrdinal: number;
  readonly ordinals: Set<number>;
};

const NOTHING: SegmentSeries = { ids: new Uint32Array(0), columns: [null] };

/** The series of keys in segments; those that are not remembered are to be read. */
export class SegmentSeriesReads {
  readonly #reader: SegmentReader;
  readonly #blocks: SegmentBlocks;
  readonly #found = new Map<string, SegmentSeries>();
  readonly #missing = new Map<string, MissingChunk>();

  /** `blocks`: where the blocks are that stand for series in segments of one topper bucket. */
  constructor(reader: SegmentReader, blocks: SegmentBlocks) {
    this.#reader = reader;
    this.#blocks = blocks;
  }

  want(each: SeriesWanted, wishes: SectionWishes): void {
    const { segment, group, place } = each;
    if (!hasSeries(group.shape, segment.directory().span)) {
      this.#blocks.want(segment, onlyRun(segment, group), place, wishes);
      return;
    }
    for (const ordinal of ordinalsOf(each)) {
      const name = this.#name(segment, place, ordinal);
      const known = this.#found.get(name) ?? this.#reader.memory.find('series', name);
      if (known) this.#found.set(name, known);
      else this.#miss(each, ordinal, wishes);
    }
  }

  #miss({ segment, group, place }: SeriesWanted, ordinal: number, wishes: SectionWishes): void {
    const { chunk, firstOrdinal } = chunkOf(segment, ordinal);
    const name = this.#name(segment, place, firstOrdinal);
    const known = this.#missing.get(name);
    if (known) {
      known.ordinals.add(ordinal);
      return;
    }
    const ordinals = new Set([ordinal]);
    this.#missing.set(name, { group, segment, place, chunk, firstOrdinal, ordinals });
    wishes.add(segment, [chunk.entries, chunk.columns[place] ?? null]);
  }

  /** Decodes what was read, the blocks apart. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: StoredSegment) => Sections): Promise<void> {
    for (const missing of this.#missing.values()) {
      const { segment, place, ordinals } = missing;
      const stored = storedChunk(missing, sectionsOf(segment));
      for (const [ordinal, series] of readKeySeries(stored, [...ordinals])) {
        const name = this.#name(segment, place, ordinal);
        this.#found.set(name, series);
        this.#reader.memory.keep('series', name, series);
      }
      await this.#reader.goOn();
    }
    this.#missing.clear();
  }

  /** The series of a key that was wanted, by topper bucket from the segment's first on. */
  of({ segment, group, keys, place }: SeriesWanted, key: Uint8Array): SegmentSeries {
    const { ordinal, isThere } = findKey(keys, key);
    if (!isThere) return NOTHING;
    if (hasSeries(group.shape, segment.directory().span)) {
      const found = this.#found.get(this.#name(segment, place, ordinal));
      if (!found) throw new Error(`a series of segment ${segment.segmentId} was not wanted`);
      return found;
    }
    const [block] = this.#blocks.of(segment, onlyRun(segment, group), place);
    const row = block ? rowOf(block.ids, ordinal) : -1;
    if (!block?.column || row < 0) return NOTHING;
    return { ids: Uint32Array.of(0), columns: [columnPart(block.column, row, row + 1)] };
  }

  #name(segment: StoredSegment, place: number, ordinal: number): string {
    return `${segmentName(this.#reader, segment)} ${place} ${ordinal}`;
  }
}

function ordinalsOf({ keys, wanted }: SeriesWanted): number[] {
  return wanted.flatMap((key) => {
    const { ordinal, isThere } = findKey(keys, key);
    return isThere ? [ordinal] : [];
  });
}

/** The block that holds all of a segment that lies in one topper bucket. */
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
  { group, segment, place, chunk, firstOrdinal }: MissingChunk,
  sections: Sections,
) {
  const { count } = topperBuckets(segment.directory().span, group.shape.topperBucketSeconds);
  const column = chunk.columns[place] ?? null;
  if (chunk.entries === null) throw new Error('a chunk has entries');
  return {
    firstOrdinal,
    keyCount: chunk.keyCount,
    topperBuckets: count,
    entries: sections(chunk.entries),
    column: column && sections(column),
  };
}

/** Where an ordinal is among ascending ones; −1: it is not there. */
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
