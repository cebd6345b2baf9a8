import { crc32 } from 'node:zlib';
import { type BucketSpan, WHOLE_SPAN } from '../blocks/levels.ts';
import { ByteReader, ByteWriter } from '../codes/bytes.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { ListedSection } from './page-cutter.ts';

/*
 * What a reader must know about a segment before it fetches a page: its ranges of keys, and where
 * each section lies. Sections are listed in the order in which they were put into pages, so their
 * lengths, and whether they open a page, determine where they lie.
 */

/** The location of a section: a page, and a range of bytes in the page's sections. */
export type SectionLocation = {
  readonly page: number;
  readonly from: number;
  readonly to: number;
};

/** The same structure is written and read. Only the type that stands for a section differs. */
type GroupOf<Section> = {
  readonly firstStart: number;
  readonly lastStart: number;
  readonly ordinals: Section;
  readonly columns: readonly Section[];
  /** By meter, like the columns; empty if the blocks of the level have no heads. */
  readonly heads: readonly Section[];
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
  /** Rows of bucket readings: one per key and bucket. */
  readonly rowCount: number;
  readonly firstKey: Uint8Array;
  readonly lastKey: Uint8Array;
  readonly keys: readonly Section[];
  /**
   * The first key of each section of keys except the first section, which begins with `firstKey`.
   */
  readonly sectionKeys: readonly Uint8Array[];
  readonly levels: readonly LevelOf<Section>[];
  readonly series: readonly ChunkOf<Section>[];
};

export type ListedRange = RangeOf<ListedSection>;
export type LocatedGroup = GroupOf<SectionLocation | null>;
export type LocatedLevel = LevelOf<SectionLocation | null>;
export type LocatedChunk = ChunkOf<SectionLocation | null>;
export type LocatedRange = RangeOf<SectionLocation | null>;

type DirectoryOf<Section> = {
  /** Part of the digest of every page. */
  readonly nonce: number;
  readonly slots: number;
  readonly span: BucketSpan;
  readonly pageCount: number;
  readonly ranges: readonly RangeOf<Section>[];
  /**
   * All keys combined, by topper bucket: one section of ordinals and one per meter, as in a group.
   */
  readonly totals: readonly Uint8Array[];
};

export type ListedDirectory = DirectoryOf<ListedSection>;
export type Directory = DirectoryOf<SectionLocation | null> & {
  /** Whether long blocks of many keys have heads: those of the first version have none. */
  readonly hasHeads: boolean;
};

/** Segments of the first version, without heads, were written up to 1.0.2. */
const VERSIONS = { first: 1, withHeads: 2 } as const;
const DIGEST_BYTES = 4;
/** How the step of the whole span is written among the levels. */
const WHOLE = 0;

export function writeDirectory(directory: ListedDirectory): Uint8Array {
  const out = new ByteWriter();
  const { nonce, slots, span, pageCount, ranges, totals } = directory;
  out.byte(VERSIONS.withHeads);
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
    out.byte(groups.some(({ heads }) => heads.length > 0) ? 1 : 0);
    let before = firstStart(span, stepSeconds);
    const step = stepSeconds === WHOLE_SPAN ? 1 : stepSeconds;
    for (const group of groups) {
      out.varint((group.firstStart - before) / step);
      out.varint((group.lastStart - group.firstStart) / step);
      before = group.lastStart;
      for (const section of [group.ordinals, ...group.columns, ...group.heads]) {
        writeSection(out, section);
      }
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

/** Reads a directory. Errors: DamagedSegment. */
export function readDirectory(bytes: Uint8Array): Directory {
  const end = bytes.length - DIGEST_BYTES;
  if (end < 1) throw new DamagedSegment('the directory is cut short');
  const body = bytes.subarray(0, end);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(end, true) !== crc32(body)) {
    throw new DamagedSegment('the digest of the directory does not fit its bytes');
  }
  return DirectoryReader.open(body).read();
}

/** The position of a directory reader: in its bytes, and in the pages. */
type Position = {
  readonly at: number;
  /** −1 before the first page is opened. */
  readonly page: number;
  /** Where the next section begins in the page. */
  readonly offset: number;
};

const BEGINNING: Position = { at: 0, page: -1, offset: 0 };

/** What all parts of a directory need to know about it. */
type Frame = {
  readonly body: Uint8Array;
  readonly version: number;
  readonly slots: number;
  readonly span: BucketSpan;
};

type GroupList = { readonly length: number; readonly hasHeads: boolean };

/**
 * Reads a directory. A directory names thousands of sections, and a query needs only a few of them.
 * So groups and series are only skipped at first, which finds every possible fault in them; the
 * lists are built on demand.
 */
class DirectoryReader {
  readonly #reader: ByteReader;
  #frame: Frame;
  #page: number;
  #offset: number;

  constructor(frame: Frame, { at, page, offset }: Position) {
    this.#reader = new ByteReader(frame.body, at);
    this.#frame = frame;
    this.#page = page;
    this.#offset = offset;
  }

  static open(body: Uint8Array): DirectoryReader {
    const span = { first: 0, last: 0 };
    return new DirectoryReader({ body, version: 0, slots: 0, span }, BEGINNING);
  }

  read(): Directory {
    const reader = this.#reader;
    const version = reader.byte();
    const { first: oldest, withHeads: newest } = VERSIONS;
    if (version < oldest || version > newest) {
      throw new DamagedSegment(`the segment has version ${version}, this program reads ${newest}`);
    }
    const nonce = reader.varint();
    const slots = this.#count();
    const first = reader.varint();
    const span = { first, last: first + reader.varint() };
    this.#frame = { body: reader.bytes, version, slots, span };
    const pageCount = reader.varint();
    const ranges = this.#list(() => this.#range());
    const totals = Array.from({ length: slots + 1 }, () => this.#bytes());
    if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
    if (this.#page + 1 !== pageCount) throw new DamagedSegment('a page has no section');
    const hasHeads = version >= VERSIONS.withHeads;
    return { nonce, slots, span, pageCount, ranges, totals, hasHeads };
  }

  #range(): LocatedRange {
    const reader = this.#reader;
    const keyCount = reader.varint();
    const rowCount = reader.varint();
    if (keyCount === 0) throw new DamagedSegment('a range has no keys');
    const firstKey = this.#bytes();
    const lastKey = this.#bytes();
    const keys = this.#list(() => this.#section());
    const sectionKeys = keys.slice(1).map(() => this.#bytes());
    const levels = this.#list(() => this.#level());
    const length = this.#count();
    const series = this.#later(
      length,
      () => this.#skipChunk(),
      (from) => Array.from({ length }, () => from.#chunk()),
    );
    return {
      keyCount,
      rowCount,
      firstKey,
      lastKey,
      keys,
      sectionKeys,
      levels,
      get series() {
        return series();
      },
    };
  }

  #level(): LocatedLevel {
    const written = this.#reader.varint();
    const stepSeconds = written === WHOLE ? WHOLE_SPAN : written;
    const step = written === WHOLE ? 1 : written;
    const first = firstStart(this.#frame.span, stepSeconds);
    const length = this.#count();
    const hasHeads = this.#frame.version >= VERSIONS.withHeads && this.#flag();
    const groups = this.#later(
      length,
      () => this.#skipGroup(hasHeads),
      (from) => from.#groups({ length, hasHeads }, first, step),
    );
    return {
      stepSeconds,
      get groups() {
        return groups();
      },
    };
  }

  #groups({ length, hasHeads }: GroupList, first: number, step: number): LocatedGroup[] {
    let start = first;
    return Array.from({ length }, () => {
      const firstOfGroup = start + this.#reader.varint() * step;
      start = firstOfGroup + this.#reader.varint() * step;
      return {
        firstStart: firstOfGroup,
        lastStart: start,
        ordinals: this.#section(),
        columns: this.#columns(),
        heads: hasHeads ? this.#columns() : [],
      };
    });
  }

  #skipGroup(hasHeads: boolean): void {
    this.#reader.varint();
    this.#reader.varint();
    this.#skipSections();
    if (hasHeads) for (let i = 0; i < this.#frame.slots; i += 1) this.#passSection();
  }

  #chunk(): LocatedChunk {
    const keyCount = this.#reader.varint();
    return { keyCount, entries: this.#section(), columns: this.#columns() };
  }

  #skipChunk(): void {
    if (this.#reader.varint() === 0) throw new DamagedSegment('a chunk of series is of no key');
    this.#skipSections();
  }

  #columns(): (SectionLocation | null)[] {
    return Array.from({ length: this.#frame.slots }, () => this.#section());
  }

  #section(): SectionLocation | null {
    const length = this.#passSection();
    if (length === 0) return null;
    return { page: this.#page, from: this.#offset - length, to: this.#offset };
  }

  /** Skips one section that does not belong to a meter, and one for each meter. */
  #skipSections(): void {
    for (let i = 0; i <= this.#frame.slots; i += 1) this.#passSection();
  }

  /** Moves past the next section and returns its length; 0 if there is none. */
  #passSection(): number {
    const written = this.#reader.varint();
    const length = Math.floor(written / 2);
    if (length === 0) return 0;
    if (written % 2 === 1) {
      this.#page += 1;
      this.#offset = 0;
    }
    if (this.#page < 0) throw new DamagedSegment('a section lies before the first page');
    this.#offset += length;
    return length;
  }

  /**
   * Skips the items of a list. Returns a function that reads them when it is first called, with
   * another reader that begins at the current position of this one.
   */
  #later<Item>(
    length: number,
    skip: () => void,
    read: (from: DirectoryReader) => readonly Item[],
  ): () => readonly Item[] {
    const position = { at: this.#reader.at, page: this.#page, offset: this.#offset };
    for (let i = 0; i < length; i += 1) skip();
    const end = this.#reader.at;
    const frame = this.#frame;
    let items: readonly Item[] | null = null;
    return () => {
      if (items !== null) return items;
      const reader = new DirectoryReader(frame, position);
      const made = read(reader);
      if (reader.#reader.at !== end) throw new DamagedSegment('a list has another end than before');
      items = made;
      return made;
    };
  }

  #list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.#count() }, read);
  }

  #flag(): boolean {
    const flag = this.#reader.byte();
    if (flag > 1) throw new DamagedSegment(`a flag of the directory is ${flag}`);
    return flag === 1;
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
