import {
  type BlockKeys,
  type GroupTimes,
  readGroupColumns,
  readGroupKeys,
} from '../blocks/block-group.ts';
import {
  readSeriesColumn,
  readSeriesEntries,
  type SeriesEntries,
  topperBuckets,
} from '../blocks/series.ts';
import { ByteReader } from '../codes/bytes.ts';
import type { Column } from '../codes/column.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import type { KeyList } from '../keys/key-list.ts';
import { KeyListBuilder } from '../keys/key-list-builder.ts';
import { readKeySection, SECTION_KEYS } from '../keys/key-section.ts';
import { commonLength } from '../keys/key-shape.ts';
import { joinColumns } from '../readings/join-columns.ts';
import type { KeyRange } from '../readings/key-range.ts';
import type { Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import type {
  Directory,
  LocatedChunk,
  LocatedGroup,
  LocatedLevel,
  LocatedRange,
  SectionLocation,
} from './directory.ts';
import type { Sections } from './sections.ts';

/** Reads the keys of a range. Errors: DamagedSegment. */
export function readKeys(range: LocatedRange, codec: KeyCodec, sections: Sections): KeyList {
  const { keyCount } = range;
  if (keyCount > range.keys.length * SECTION_KEYS) throw wrongSections(range);
  const bytes = keyCount * (commonLength(codec.shapes ?? []) ?? 0);
  const keys = new KeyListBuilder({ keys: keyCount, bytes });
  addKeysOfRange(range, { codec, sections, into: keys });
  return keys.finish();
}

/**
 * Appends the keys of a range to those of the ranges before it. Errors: DamagedSegment; `into` is
 * then unusable.
 */
export function addKeysOfRange(range: LocatedRange, target: SectionTarget): void {
  const before = target.into.count;
  for (const section of range.keys.keys()) readSection({ range, section }, target);
  if (target.into.count - before !== range.keyCount) throw wrongSections(range);
}

/** One section of the keys of a range, counted from 0. */
export type KeySection = { readonly range: LocatedRange; readonly section: number };

/** Reads the keys of one section. Errors: DamagedSegment. */
export function readKeysOfSection(
  location: KeySection,
  codec: KeyCodec,
  sections: Sections,
): KeyList {
  const keys = new KeyListBuilder({ keys: 0, bytes: 0 });
  readSection(location, { codec, sections, into: keys });
  return keys.finish();
}

type SectionTarget = {
  readonly codec: KeyCodec;
  readonly sections: Sections;
  readonly into: KeyListBuilder;
};

function readSection(
  { range, section }: KeySection,
  { codec, sections, into }: SectionTarget,
): void {
  const count = Math.min(SECTION_KEYS, range.keyCount - section * SECTION_KEYS);
  if (count <= 0) throw wrongSections(range);
  const reader = new ByteReader(sections(required(range.keys[section] ?? null)));
  readKeySection(reader, codec, count, into);
  if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
}

const wrongSections = ({ keyCount, keys }: LocatedRange) =>
  new DamagedSegment(`${keyCount} keys are in ${keys.length} sections`);

/** What to read from a level: blocks that start from `from` to before `to`, for some meters. */
type BlockQuestion = {
  readonly from: number;
  readonly to: number;
  /** Positions of the meters (slot − 1), ascending. */
  readonly meterIndexes: readonly number[];
};

/** Selects all blocks. */
export const EVER = { from: 0, to: Number.POSITIVE_INFINITY };

/** Returns the groups of a level that have blocks in the given time. */
export const groupsWithin = (
  { groups }: LocatedLevel,
  { from, to }: Pick<BlockQuestion, 'from' | 'to'>,
): LocatedGroup[] =>
  groups.filter(({ firstStart, lastStart }) => lastStart >= from && firstStart < to);

/** Reads the blocks of a level of a range. Errors: DamagedSegment. */
export function readBlocks(
  { directory, range, sections }: RangeSource,
  level: LocatedLevel,
  question: BlockQuestion,
): Readings {
  const blocks: BlockKeys[] = [];
  const columns = Array.from({ length: directory.slots }, (): (Column | null)[] => []);
  const { stepSeconds } = level;
  for (const group of groupsWithin(level, question)) {
    const times = { stepSeconds, first: group.firstStart };
    const stored = readGroup(sections, {
      group,
      range,
      times,
      meterIndexes: question.meterIndexes,
    });
    for (const block of stored.blocks) {
      if (block.start < question.from || block.start >= question.to) continue;
      blocks.push(block);
      for (const [meterIndex, lists] of columns.entries()) {
        lists.push(stored.columns[meterIndex]?.[block.blockIndex]?.() ?? null);
      }
    }
  }
  return joinBlocks(blocks, columns, range.keyCount);
}

/** The directory and sections that a range is read from. */
export type RangeSource = {
  readonly directory: Directory;
  readonly range: LocatedRange;
  readonly sections: Sections;
};

type GroupQuestion = {
  readonly group: LocatedGroup;
  readonly range: LocatedRange;
  readonly times: GroupTimes;
  readonly meterIndexes: readonly number[];
};

function readGroup(sections: Sections, { group, range, times, meterIndexes }: GroupQuestion) {
  // Starts in the group are counted from that of its first block, which is in the directory.
  const blocks = readGroupKeys(sections(required(group.ordinals)), range.keyCount, times);
  if (blocks[0]?.start !== group.firstStart || blocks.at(-1)?.start !== group.lastStart) {
    throw new DamagedSegment('a group of blocks has other starts than the directory says');
  }
  const counts = blocks.map(({ count }) => count);
  const columns = group.columns.map((location, i) =>
    location !== null && meterIndexes.includes(i)
      ? readGroupColumns(sections(location), counts)
      : null,
  );
  return { blocks, columns };
}

function joinBlocks(
  blocks: readonly BlockKeys[],
  columns: readonly (readonly (Column | null)[])[],
  keyCount: number,
): Readings {
  const ends = new Uint32Array(blocks.length);
  let rows = 0;
  for (const [i, { count }] of blocks.entries()) {
    rows += count;
    ends[i] = rows;
  }
  const ordinals = new Uint32Array(rows);
  for (const [i, block] of blocks.entries()) {
    const end = ends[i] as number;
    block.unpack(ordinals.subarray(end - block.count, end), 0);
  }
  const lengths = blocks.map(({ count }) => count);
  return {
    keyCount,
    starts: Float64Array.from(blocks, ({ start }) => start),
    ends,
    ordinals,
    columns: columns.map((parts) => joinColumns(parts, lengths)),
  };
}

/** Reads all of a range as it was written, for merging and checking. Errors: DamagedSegment. */
export function readRange(source: RangeSource, codec: KeyCodec): KeyRange {
  const { directory, range, sections } = source;
  const finest = range.levels.at(-1);
  if (!finest) throw new DamagedSegment('a range has no blocks');
  const meterIndexes = Array.from({ length: directory.slots }, (_, meterIndex) => meterIndex);
  const readings = readBlocks(source, finest, { ...EVER, meterIndexes });
  if (readings.ordinals.length !== range.rowCount) {
    throw new DamagedSegment(`a range has ${readings.ordinals.length} of ${range.rowCount} rows`);
  }
  return { keys: readKeys(range, codec, sections), readings };
}

/** The series of a chunk. Columns of meters that were not read are null. */
export type ChunkSeries = SeriesEntries & { readonly columns: readonly (Column | null)[] };

/** Reads the series of a chunk's keys for the meters at `meterIndexes`. Errors: DamagedSegment. */
export function readChunk(
  { directory, sections }: Pick<RangeSource, 'directory' | 'sections'>,
  chunk: LocatedChunk,
  {
    shape,
    meterIndexes,
  }: { readonly shape: SegmentShape; readonly meterIndexes: readonly number[] },
): ChunkSeries {
  const { count } = topperBuckets(directory.span, shape.topperBucketSeconds);
  const size = { keyCount: chunk.keyCount, topperBuckets: count };
  const entries = readSeriesEntries(sections(required(chunk.entries)), size);
  const columns = chunk.columns.map((location, i) =>
    location !== null && meterIndexes.includes(i)
      ? readSeriesColumn(sections(location), entries.bucketIndexes.length)
      : null,
  );
  return { ends: entries.ends, bucketIndexes: entries.bucketIndexes, columns };
}

/** Reads all keys of a segment combined by topper bucket, as one key. Errors: DamagedSegment. */
export function readTotals({ totals, span }: Directory, shape: SegmentShape): Readings {
  const [ordinals, ...columns] = totals;
  const { topperBucketSeconds: stepSeconds } = shape;
  const { origin: first } = topperBuckets(span, stepSeconds);
  const blocks = readGroupKeys(ordinals ?? new Uint8Array(0), 1, { stepSeconds, first });
  const counts = blocks.map(({ count }) => count);
  const byMeter = columns.map((section) =>
    section.length === 0 ? [] : readGroupColumns(section, counts).map((unpack) => unpack()),
  );
  return joinBlocks(blocks, byMeter, 1);
}

function required(location: SectionLocation | null): SectionLocation {
  if (location === null) throw new DamagedSegment('the directory leaves out a section');
  return location;
}
