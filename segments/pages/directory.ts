import { crc32 } from 'node:zlib';
import { type BucketSpan, WHOLE_SPAN } from '../blocks/levels.ts';
import { ByteReader, ByteWriter } from '../codes/bytes.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { ListedSection } from './page-cutter.ts';

/*
 * What a reader must know of a segment before it fetches a page: which ranges of keys it has, and
 * where each section lies. Sections are listed in the order in which they were put into pages, so
 * their lengths, and whether they open a page, say where they are.
 */

/** Where a section lies: bytes of a page's sections. */
export type SectionPlace = {
  readonly page: number;
  readonly from: number;
  readonly to: number;
};

/** What is written, and what is read: the same, but for what stands for a section. */
type GroupOf<Section> = {
  readonly firstStart: number;
  readonly lastStart: number;
  readonly ordinals: Section;
  readonly columns: readonly Section[];
};

type LevelOf<Section> = {
  readonly stepSeconds: number;
  readonly groups: readonly GroupOf<Section>[];
};

type ChunkOf<Section> = {
  readonly keyCount: number;
  readonly entries: Section;
  readonly columns: readonly Section[];
};

type RangeOf<Section> = {
  readonly keyCount: number;
  /** Readings of buckets: one a key and bucket. */
  readonly rowCount: number;
  readonly firstKey: Uint8Array;
  readonly lastKey: Uint8Array;
  readonly keys: readonly Section[];
  /** The first key of each section of keys but the first, which begins with `firstKey`. */
  readonly sectionKeys: readonly Uint8Array[];
  readonly levels: readonly LevelOf<Section>[];
  readonly series: readonly ChunkOf<Section>[];
};

export type ListedRange = RangeOf<ListedSection>;
export type PlacedGroup = GroupOf<SectionPlace | null>;
export type PlacedLevel = LevelOf<SectionPlace | null>;
export type PlacedChunk = ChunkOf<SectionPlace | null>;
export type PlacedRange = RangeOf<SectionPlace | null>;

type DirectoryOf<Section> = {
  /** Part of the digest of every page. */
  readonly nonce: number;
  readonly slots: number;
  readonly span: BucketSpan;
  readonly pageCount: number;
  readonly ranges: readonly RangeOf<Section>[];
  /** All keys together, by topper bucket: a section of ordinals and one a meter, as in a group. */
  readonly totals: readonly Uint8Array[];
};

export type ListedDirectory = DirectoryOf<ListedSection>;
export type Directory = DirectoryOf<SectionPlace | null>;

const VERSION = 1;
const DIGEST_BYTES = 4;
/** How the whole span is written among the levels. */
const WHOLE = 0;

export function writeDirectory(directory: ListedDirectory): Uint8Array {
  const out = new ByteWriter();
  const { nonce, slots, span, pageCount, ranges, totals } = directory;
  out.byte(VERSION);
  out.varint(nonce);
  out.varint(slots);
  out.varint(span.first);
  out.varint(span.last - span.first);
  out.varint(pageCount);
  out.varint(ranges.length);
  for (const range of ranges) writeRange(out, range, span);
  for (const section of totals) writeBytes(out, section);
  const body = out.take();
  const bytes = new Uint8Array(body.length + DIGEST_BYTES);
  bytes.set(body);
  new DataView(bytes.buffer).setUint32(body.length, crc32(body), true);
  return bytes;
}

function writeRange(out: ByteWriter, range: ListedRange, span: BucketSpan): void {
  out.varint(range.keyCount);
  out.varint(range.rowCount);
  writeBytes(out, range.firstKey);
  writeBytes(out, range.lastKey);
  out.varint(range.keys.length);
  for (const section of range.keys) writeSection(out, section);
  for (const key of range.sectionKeys) writeBytes(out, key);
  out.varint(range.levels.length);
  for (const { stepSeconds, groups } of range.levels) {
    out.varint(stepSeconds === WHOLE_SPAN ? WHOLE : stepSeconds);
    out.varint(groups.length);
    let before = firstStart(span, stepSeconds);
    const step = stepSeconds === WHOLE_SPAN ? 1 : stepSeconds;
    for (const group of groups) {
      out.varint((group.firstStart - before) / step);
      out.varint((group.lastStart - group.firstStart) / step);
      before = group.lastStart;
      for (const section of [group.ordinals, ...group.columns]) writeSection(out, section);
    }
  }
  out.varint(range.series.length);
  for (const { keyCount, entries, columns } of range.series) {
    out.varint(keyCount);
    for (const section of [entries, ...columns]) writeSection(out, section);
  }
}

const firstStart = ({ first }: BucketSpan, stepSeconds: number): number =>
  stepSeconds === WHOLE_SPAN ? first : first - (first % stepSeconds);

function writeSection(out: ByteWriter, { length, opensPage }: ListedSection): void {
  out.varint(length * 2 + (opensPage ? 1 : 0));
}

function writeBytes(out: ByteWriter, bytes: Uint8Array): void {
  out.varint(bytes.length);
  out.append(bytes);
}

/** Errors: DamagedSegment. */
export function readDirectory(bytes: Uint8Array): Directory {
  const end = bytes.length - DIGEST_BYTES;
  if (end < 1) throw new DamagedSegment('the directory is cut short');
  const body = bytes.subarray(0, end);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(end, true) !== crc32(body)) {
    throw new DamagedSegment('the digest of the directory does not fit its bytes');
  }
  return new DirectoryReader(body).read();
}

class DirectoryReader {
  readonly #reader: ByteReader;
  #slots = 0;
  #span: BucketSpan = { first: 0, last: 0 };
  /** Where the next section begins: −1 while no page was opened. */
  #page = -1;
  #offset = 0;

  constructor(body: Uint8Array) {
    this.#reader = new ByteReader(body);
  }

  read(): Directory {
    const reader = this.#reader;
    const version = reader.byte();
    if (version !== VERSION) {
      throw new DamagedSegment(`the segment has version ${version}, this program reads ${VERSION}`);
    }
    const nonce = reader.varint();
    this.#slots = this.#count();
    const first = reader.varint();
    this.#span = { first, last: first + reader.varint() };
    const pageCount = reader.varint();
    const ranges = this.#list(() => this.#range());
    const totals = Array.from({ length: this.#slots + 1 }, () => this.#bytes());
    if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
    if (this.#page + 1 !== pageCount) throw new DamagedSegment('a page has no section');
    return { nonce, slots: this.#slots, span: this.#span, pageCount, ranges, totals };
  }

  #range(): PlacedRange {
    const reader = this.#reader;
    const keyCount = reader.varint();
    const rowCount = reader.varint();
    if (keyCount === 0) throw new DamagedSegment('a range has no keys');
    const firstKey = this.#bytes();
    const lastKey = this.#bytes();
    const keys = this.#list(() => this.#section());
    const sectionKeys = keys.slice(1).map(() => this.#bytes());
    const levels = this.#list(() => this.#level());
    const series = this.#list((): PlacedChunk => {
      const keysOfChunk = reader.varint();
      if (keysOfChunk === 0) throw new DamagedSegment('a chunk of series is of no key');
      const entries = this.#section();
      return { keyCount: keysOfChunk, entries, columns: this.#columns() };
    });
    return { keyCount, rowCount, firstKey, lastKey, keys, sectionKeys, levels, series };
  }

  #level(): PlacedLevel {
    const reader = this.#reader;
    const written = reader.varint();
    const stepSeconds = written === WHOLE ? WHOLE_SPAN : written;
    const step = written === WHOLE ? 1 : written;
    let start = firstStart(this.#span, stepSeconds);
    const groups = this.#list((): PlacedGroup => {
      const firstOfGroup = start + reader.varint() * step;
      start = firstOfGroup + reader.varint() * step;
      const ordinals = this.#section();
      return {
        firstStart: firstOfGroup,
        lastStart: start,
        ordinals,
        columns: this.#columns(),
      };
    });
    return { stepSeconds, groups };
  }

  #columns(): (SectionPlace | null)[] {
    return Array.from({ length: this.#slots }, () => this.#section());
  }

  #section(): SectionPlace | null {
    const written = this.#reader.varint();
    const length = Math.floor(written / 2);
    if (length === 0) return null;
    if (written % 2 === 1) {
      this.#page += 1;
      this.#offset = 0;
    }
    if (this.#page < 0) throw new DamagedSegment('a section lies before the first page');
    const from = this.#offset;
    this.#offset += length;
    return { page: this.#page, from, to: this.#offset };
  }

  #list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.#count() }, read);
  }

  /** A number of things, each of which takes a byte at least. */
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
