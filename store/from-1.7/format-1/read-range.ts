import type { ByteReader } from '../../../segments/codes/bytes.ts';
import { type Column, pickRows } from '../../../segments/codes/column.ts';
import { readColumn } from '../../../segments/codes/column-code.ts';
import { readOrdinals } from '../../../segments/codes/ordinals.ts';
import { DamagedSegment } from '../../../segments/damaged-segment.ts';
import type { KeyCodec } from '../../../segments/keys/key-codec.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import { KeyListBuilder } from '../../../segments/keys/key-list-builder.ts';
import { readKeySection, SECTION_KEYS } from '../../../segments/keys/key-section.ts';
import { openPage } from '../../../segments/pages/page.ts';
import { joinColumns } from '../../../segments/readings/join-columns.ts';
import type { KeyRange } from '../../../segments/readings/key-range.ts';
import type { Readings } from '../../../segments/readings/readings.ts';
import { readWhole } from '../../../segments/tiles/read-whole.ts';
import type { Format1Directory, Format1Range, Format1Section } from './directory.ts';

/** Returns a page that was fetched. */
export type PageOf = (number: number) => Uint8Array;

/** Returns the bytes of a section from fetched pages. Errors: DamagedSegment. */
type Sections = (location: Format1Section | null) => Uint8Array;

/** Returns the pages that readRange needs. */
export const pagesOf = ({ keys, groups }: Format1Range): Set<number> =>
  new Set(
    [...keys, ...groups.flatMap(({ ordinals, columns }) => [ordinals, ...columns])].flatMap(
      (section) => (section === null ? [] : [section.page]),
    ),
  );

/** Reads all that a range holds. Errors: DamagedSegment. */
export function readRange(
  { nonce, slots }: Format1Directory,
  range: Format1Range,
  { pageOf, codec }: { readonly pageOf: PageOf; readonly codec: KeyCodec },
): KeyRange {
  const sections = createSections(nonce, pageOf);
  const keys = readKeys(range, codec, sections);
  return { keys, readings: readReadings(range, slots, sections) };
}

/** Verifies the digest of each page once. */
function createSections(nonce: number, pageOf: PageOf): Sections {
  const opened = new Map<number, Uint8Array>();
  return (location) => {
    if (location === null) throw new DamagedSegment('the directory leaves out a section');
    const { page, from, to } = location;
    const known = opened.get(page);
    const sections = known ?? openPage(pageOf(page), { nonce, number: page });
    if (!known) opened.set(page, sections);
    if (to > sections.length) throw new DamagedSegment(`page ${page} is shorter than its sections`);
    return sections.subarray(from, to);
  };
}

function readKeys({ keyCount, keys }: Format1Range, codec: KeyCodec, sections: Sections): KeyList {
  const list = new KeyListBuilder({ keys: 0, bytes: 0 });
  for (const [i, section] of keys.entries()) {
    const count = Math.min(SECTION_KEYS, keyCount - i * SECTION_KEYS);
    if (count <= 0) throw wrongSections(keyCount, keys.length);
    readWhole(sections(section), (reader) => readKeySection(reader, codec, count, list));
  }
  if (list.count !== keyCount) throw wrongSections(keyCount, keys.length);
  return list.finish();
}

const wrongSections = (keys: number, sections: number) =>
  new DamagedSegment(`${keys} keys are in ${sections} sections`);

/** The readings of one bucket: one row for each of its keys. */
type Block = {
  readonly start: number;
  readonly ordinals: Uint32Array;
  readonly columns: readonly (Column | null)[];
};

function readReadings(range: Format1Range, slots: number, sections: Sections): Readings {
  const { keyCount, rowCount, stepSeconds, groups } = range;
  const blocks: Block[] = [];
  for (const { firstStart, ordinals, columns } of groups) {
    const keys = readBlockKeys(sections(ordinals), { keyCount, stepSeconds, first: firstStart });
    const read = columns.map((column) => column && readBlockColumns(sections(column), keys));
    for (const [i, block] of keys.entries()) {
      blocks.push({ ...block, columns: read.map((own) => own?.[i] ?? null) });
    }
  }
  const lengths = blocks.map(({ ordinals }) => ordinals.length);
  const rows = lengths.reduce((sum, length) => sum + length, 0);
  if (rows !== rowCount) throw new DamagedSegment(`a range has ${rows} of ${rowCount} rows`);
  const { ends, starts, order } = orderByKey(blocks, keyCount, rowCount);
  const columns = Array.from({ length: slots }, (_, meterIndex) => {
    const column = joinColumns(
      blocks.map((block) => block.columns[meterIndex] ?? null),
      lengths,
    );
    return column && pickRows(column, order);
  });
  return { keyCount, ends, starts, columns };
}

/** Orders rows of blocks, which ascend, by key and then by bucket. order: the row of each. */
function orderByKey(blocks: readonly Block[], keyCount: number, rowCount: number) {
  const ends = new Uint32Array(keyCount);
  for (const { ordinals } of blocks) {
    for (const ordinal of ordinals) ends[ordinal] = (ends[ordinal] as number) + 1;
  }
  const next = new Uint32Array(keyCount);
  for (let key = 1; key < keyCount; key += 1) {
    next[key] = ends[key - 1] as number;
    ends[key] = (ends[key] as number) + (ends[key - 1] as number);
  }
  const starts = new Float64Array(rowCount);
  const order = new Uint32Array(rowCount);
  let row = 0;
  for (const { start, ordinals } of blocks) {
    for (const ordinal of ordinals) {
      const place = next[ordinal] as number;
      next[ordinal] = place + 1;
      starts[place] = start;
      order[place] = row;
      row += 1;
    }
  }
  return { ends, starts, order };
}

type GroupTimes = {
  readonly keyCount: number;
  readonly stepSeconds: number;
  /** The start of the first block. */
  readonly first: number;
};

/**
 * Reads the starts and the keys of the blocks of a group: of each the distance of its start from
 * the previous start, in steps, its number of keys, its byte length, and its ordinals.
 */
function readBlockKeys(
  section: Uint8Array,
  { keyCount, stepSeconds, first }: GroupTimes,
): Pick<Block, 'start' | 'ordinals'>[] {
  const blocks: Pick<Block, 'start' | 'ordinals'>[] = [];
  readWhole(section, (reader) => {
    const count = reader.varint();
    let start = first;
    for (let i = 0; i < count; i += 1) {
      const distance = reader.varint();
      if (i > 0 && distance === 0) throw new DamagedSegment('two blocks have the same start');
      start += distance * stepSeconds;
      const keys = reader.varint();
      if (keys > keyCount) throw new DamagedSegment(`a block has ${keys} of ${keyCount} keys`);
      const ordinals = new Uint32Array(keys);
      readWhole(nextPart(reader), (part) =>
        readOrdinals(part, ordinals, { bound: keyCount, first: 0 }),
      );
      blocks.push({ start, ordinals });
    }
  });
  return blocks;
}

/** Reads a meter's section of a group: of each block the byte length of its column, and that. */
function readBlockColumns(
  section: Uint8Array,
  blocks: readonly Pick<Block, 'ordinals'>[],
): (Column | null)[] {
  return readWhole(section, (reader) =>
    blocks.map(({ ordinals }) => {
      const part = nextPart(reader);
      if (part.length === 0) return null;
      return readWhole(part, (each) => readColumn(each, ordinals.length));
    }),
  );
}

function nextPart(reader: ByteReader): Uint8Array {
  const length = reader.varint();
  const from = reader.at;
  reader.skip(length);
  return reader.bytes.subarray(from, reader.at);
}
