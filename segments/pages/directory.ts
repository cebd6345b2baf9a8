import { crc32 } from 'node:zlib';
import { ByteReader, ByteWriter } from '../codes/bytes.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { BucketSpan } from '../span.ts';
import { pageCountOf, type SectionLocation } from './sections.ts';

/*
 * What a reader must know about a segment before it fetches a page: its ranges of keys, and where
 * each section lies. Sections are listed in the order in which they were written, so their lengths
 * determine where they lie.
 */

/** The same structure is written and read. Only the type that stands for a section differs. */
type TileOf<Section> = {
  /** Epoch seconds. */
  readonly start: number;
  readonly keys: Section;
  /** A roll-up has only keys. */
  readonly times: Section;
  /** By meter (its index). */
  readonly totals: readonly Section[];
  readonly values: readonly Section[];
};

type RangeOf<Section> = {
  readonly keyCount: number;
  /** Rows of readings: one per key and bucket. */
  readonly rowCount: number;
  readonly firstKey: Uint8Array;
  readonly lastKey: Uint8Array;
  readonly keys: readonly Section[];
  /**
   * The first key of each section of keys except the first section, which begins with `firstKey`.
   */
  readonly sectionKeys: readonly Uint8Array[];
  /** By meter: the combined readings of each key; null if the segment lies in one tile. */
  readonly span: readonly Section[] | null;
  readonly tiles: readonly TileOf<Section>[];
};

/** Heads by meter. */
type TileHeadsOf<Section> = { readonly start: number; readonly heads: readonly Section[] };

type HeadsOf<Section> = {
  readonly span: readonly Section[];
  readonly tiles: readonly TileHeadsOf<Section>[];
};

type HeadSeriesOf<Section> = {
  readonly keys: Section;
  readonly entries: Section;
  readonly columns: readonly Section[];
};

type DirectoryOf<Section, Range> = {
  /** Part of the digest of every page. */
  readonly nonce: number;
  readonly slots: number;
  readonly span: BucketSpan;
  readonly tileSeconds: number;
  readonly ranges: readonly Range[];
  /** The largest keys of the span and of tiles; null: the segment has few keys. */
  readonly heads: HeadsOf<Section> | null;
  /** The series of some of the largest keys. */
  readonly headSeries: HeadSeriesOf<Section> | null;
  /** All keys combined, by topper bucket: times, and one section per meter. */
  readonly totals: readonly Uint8Array[];
};

/** While it is written, a section is its length; 0: there is none. */
export type ListedTile = TileOf<number>;
export type ListedRange = RangeOf<number>;
export type ListedHeadSeries = HeadSeriesOf<number>;
export type ListedDirectory = DirectoryOf<number, ListedRange>;

export type LocatedTile = TileOf<SectionLocation | null>;
export type LocatedRange = RangeOf<SectionLocation | null> & {
  /** The ordinal of its first key in the segment. */
  readonly firstOrdinal: number;
};
export type LocatedHeadSeries = HeadSeriesOf<SectionLocation | null>;
export type Directory = DirectoryOf<SectionLocation | null, LocatedRange> & {
  readonly pageCount: number;
};

/** Versions 1 and 2 are those of format 1. */
const VERSION = 3;
const DIGEST_BYTES = 4;

export function writeDirectory(directory: ListedDirectory): Uint8Array {
  const out = new ByteWriter();
  const { nonce, slots, span, tileSeconds, ranges, heads, headSeries, totals } = directory;
  out.byte(VERSION);
  for (const number of [nonce, slots, span.first, span.last - span.first, tileSeconds]) {
    out.varint(number);
  }
  out.varint(ranges.length);
  for (const range of ranges) writeRange(out, range, directory);
  out.byte((heads ? HAS.heads : 0) | (headSeries ? HAS.series : 0));
  if (heads) {
    writeAll(out, heads.span);
    writeTimed(out, heads.tiles, directory, (tile) => writeAll(out, tile.heads));
  }
  if (headSeries) writeAll(out, [headSeries.keys, headSeries.entries, ...headSeries.columns]);
  for (const section of totals) writeBytes(out, section);
  const body = out.take();
  const bytes = new Uint8Array(body.length + DIGEST_BYTES);
  bytes.set(body);
  new DataView(bytes.buffer).setUint32(body.length, crc32(body), true);
  return bytes;
}

const HAS = { heads: 1, series: 2 } as const;

type Timing = Pick<ListedDirectory, 'span' | 'tileSeconds'>;

function writeRange(out: ByteWriter, range: ListedRange, timing: Timing): void {
  out.varint(range.keyCount);
  out.varint(range.rowCount);
  writeBytes(out, range.firstKey);
  writeBytes(out, range.lastKey);
  out.varint(range.keys.length);
  writeAll(out, range.keys);
  for (const key of range.sectionKeys) writeBytes(out, key);
  out.byte(range.span ? 1 : 0);
  writeAll(out, range.span ?? []);
  writeTimed(out, range.tiles, timing, ({ keys, times, totals, values }) =>
    writeAll(out, [keys, times, ...totals, ...values]),
  );
}

function writeTimed<Item extends { readonly start: number }>(
  out: ByteWriter,
  items: readonly Item[],
  timing: Timing,
  write: (item: Item) => void,
): void {
  out.varint(items.length);
  let before = firstTile(timing);
  for (const item of items) {
    out.varint((item.start - before) / timing.tileSeconds);
    write(item);
    before = item.start;
  }
}

const firstTile = ({ span: { first }, tileSeconds }: Timing): number =>
  first - (first % tileSeconds);

function writeAll(out: ByteWriter, lengths: readonly number[]): void {
  for (const length of lengths) out.varint(length);
}

function writeBytes(out: ByteWriter, bytes: Uint8Array): void {
  out.varint(bytes.length);
  out.append(bytes);
}

/** Reads a directory. Errors: DamagedSegment. */
export function readDirectory(bytes: Uint8Array): Directory {
  const end = bytes.length - DIGEST_BYTES;
  if (end < 1) throw new DamagedSegment('the directory is cut short');
  const body = bytes.subarray(0, end);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(end, true) !== crc32(body)) {
    throw new DamagedSegment('the digest of the directory does not fit its bytes');
  }
  return new DirectoryReader(body, BEGINNING).read();
}

/** The position of a directory reader: in its bytes, and in the sections of the segment. */
type Position = { readonly at: number; readonly offset: number };

const BEGINNING: Position = { at: 0, offset: 0 };

/**
 * Reads a directory. It names thousands of sections, and a query needs only a few of them. So tiles
 * are only skipped at first, which finds every possible fault in them; their lists are built on
 * demand.
 */
class DirectoryReader {
  readonly #reader: ByteReader;
  #slots = 0;
  #timing: Timing = { span: { first: 0, last: 0 }, tileSeconds: 1 };
  #offset: number;
  #keys = 0;

  constructor(body: Uint8Array, { at, offset }: Position) {
    this.#reader = new ByteReader(body, at);
    this.#offset = offset;
  }

  read(): Directory {
    const reader = this.#reader;
    const version = reader.byte();
    if (version !== VERSION) {
      throw new DamagedSegment(`the segment has version ${version}, this program reads ${VERSION}`);
    }
    const nonce = reader.varint();
    const slots = this.#count();
    const first = reader.varint();
    const span = { first, last: first + reader.varint() };
    const tileSeconds = reader.varint();
    if (tileSeconds === 0) throw new DamagedSegment('tiles have no length');
    this.#slots = slots;
    this.#timing = { span, tileSeconds };
    const ranges = this.#list(() => this.#range());
    const flags = reader.byte();
    if (flags > (HAS.heads | HAS.series)) throw new DamagedSegment(`unknown flags ${flags}`);
    const heads = (flags & HAS.heads) === 0 ? null : this.#heads();
    const headSeries = (flags & HAS.series) === 0 ? null : this.#headSeries();
    const totals = Array.from({ length: slots + 1 }, () => this.#bytes());
    if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
    const pageCount = pageCountOf(this.#offset);
    return { nonce, slots, span, tileSeconds, ranges, heads, headSeries, totals, pageCount };
  }

  #range(): LocatedRange {
    const reader = this.#reader;
    const keyCount = reader.varint();
    const rowCount = reader.varint();
    if (keyCount === 0) throw new DamagedSegment('a range has no keys');
    const firstOrdinal = this.#keys;
    this.#keys += keyCount;
    const firstKey = this.#bytes();
    const lastKey = this.#bytes();
    const keys = this.#list(() => this.#section());
    const sectionKeys = keys.slice(1).map(() => this.#bytes());
    const hasSpan = reader.byte();
    if (hasSpan > 1) throw new DamagedSegment(`a flag of the directory is ${hasSpan}`);
    const span = hasSpan === 1 ? this.#columns() : null;
    const tiles = this.#tiles();
    return {
      keyCount,
      rowCount,
      firstOrdinal,
      firstKey,
      lastKey,
      keys,
      sectionKeys,
      span,
      get tiles() {
        return tiles();
      },
    };
  }

  /** Skips a range's tiles. Returns a function that reads them when it is first called. */
  #tiles(): () => readonly LocatedTile[] {
    const position = { at: this.#reader.at, offset: this.#offset };
    const length = this.#count();
    for (let i = 0; i < length; i += 1) {
      const step = this.#reader.varint();
      if (i > 0 && step === 0) throw new DamagedSegment('two tiles have the same start');
      for (let section = 0; section < 2 + 2 * this.#slots; section += 1) this.#section();
    }
    const { bytes } = this.#reader;
    let tiles: readonly LocatedTile[] | null = null;
    return () => {
      if (tiles) return tiles;
      const reader = new DirectoryReader(bytes, position);
      reader.#slots = this.#slots;
      reader.#timing = this.#timing;
      tiles = reader.#timed((start) => reader.#tile(start));
      return tiles;
    };
  }

  #tile(start: number): LocatedTile {
    return {
      start,
      keys: this.#section(),
      times: this.#section(),
      totals: this.#columns(),
      values: this.#columns(),
    };
  }

  #heads(): Directory['heads'] {
    const span = this.#columns();
    return { span, tiles: this.#timed((start) => ({ start, heads: this.#columns() })) };
  }

  #headSeries(): LocatedHeadSeries {
    return { keys: this.#section(), entries: this.#section(), columns: this.#columns() };
  }

  #timed<Item>(read: (start: number) => Item): Item[] {
    const { tileSeconds } = this.#timing;
    let start = firstTile(this.#timing);
    return this.#list(() => {
      start += this.#reader.varint() * tileSeconds;
      return read(start);
    });
  }

  #columns(): (SectionLocation | null)[] {
    return Array.from({ length: this.#slots }, () => this.#section());
  }

  #section(): SectionLocation | null {
    const length = this.#reader.varint();
    if (length === 0) return null;
    const from = this.#offset;
    this.#offset += length;
    return { from, to: this.#offset };
  }

  #list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.#count() }, read);
  }

  /** Reads a number of items, each of which takes at least one byte. */
  #count(): number {
    const reader = this.#reader;
    const count = reader.varint();
    if (count > reader.bytes.length - reader.at) {
      throw new DamagedSegment(`the directory is too short for ${count} entries`);
    }
    return count;
  }

  #bytes(): Uint8Array {
    const reader = this.#reader;
    const length = this.#count();
    const from = reader.at;
    reader.skip(length);
    return reader.bytes.slice(from, reader.at);
  }
}
