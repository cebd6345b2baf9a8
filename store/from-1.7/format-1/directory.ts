import { crc32 } from 'node:zlib';
import { ByteReader } from '../../../segments/codes/bytes.ts';
import { DamagedSegment } from '../../../segments/damaged-segment.ts';
import type { BucketSpan } from '../../../segments/span.ts';

/*
 * The directory of a segment of format 1, which versions up to 1.7 wrote. It lists the sections of
 * each range of keys in the order in which they were put into pages: the keys, blocks of several
 * levels (from the whole span to single buckets), and series. Only the keys and the blocks of
 * single buckets are kept here: the others repeat what these say.
 */

/** The location of a section: a page, and a range of bytes in the page's sections. */
export type Format1Section = {
  readonly page: number;
  readonly from: number;
  readonly to: number;
};

/** Consecutive blocks of single buckets. Each section may be missing. */
export type Format1Group = {
  /** Epoch seconds. */
  readonly firstStart: number;
  readonly ordinals: Format1Section | null;
  /** By meter (slot − 1). */
  readonly columns: readonly (Format1Section | null)[];
};

export type Format1Range = {
  readonly keyCount: number;
  /** One per key and bucket. */
  readonly rowCount: number;
  readonly keys: readonly (Format1Section | null)[];
  /** Seconds of a block: those of a bucket. */
  readonly stepSeconds: number;
  readonly groups: readonly Format1Group[];
};

export type Format1Directory = {
  /** Part of the digest of every page. */
  readonly nonce: number;
  readonly slots: number;
  readonly span: BucketSpan;
  readonly ranges: readonly Format1Range[];
};

/** Segments of the first version have no heads. */
const VERSIONS = { first: 1, withHeads: 2 } as const;
const DIGEST_BYTES = 4;
/** How the step of the whole span is written. */
const WHOLE = 0;

/** Returns whether a segment with this directory is of format 1. */
export const isFormat1 = ([version]: Uint8Array): boolean =>
  version === VERSIONS.first || version === VERSIONS.withHeads;

/** Reads a directory. Errors: DamagedSegment. */
export function readFormat1Directory(bytes: Uint8Array): Format1Directory {
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
  #version = 0;
  #slots = 0;
  #span: BucketSpan = { first: 0, last: 0 };
  /** −1 before the first page is opened. */
  #page = -1;
  /** Where the next section begins in the page. */
  #offset = 0;

  constructor(body: Uint8Array) {
    this.#reader = new ByteReader(body, 0);
  }

  read(): Format1Directory {
    const reader = this.#reader;
    this.#version = reader.byte();
    const nonce = reader.varint();
    this.#slots = this.#count();
    const first = reader.varint();
    this.#span = { first, last: first + reader.varint() };
    reader.varint(); // The number of pages.
    const ranges = this.#list(() => this.#range());
    for (let section = 0; section <= this.#slots; section += 1) this.#skipBytes();
    if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
    return { nonce, slots: this.#slots, span: this.#span, ranges };
  }

  #range(): Format1Range {
    const reader = this.#reader;
    const keyCount = reader.varint();
    const rowCount = reader.varint();
    if (keyCount === 0) throw new DamagedSegment('a range has no keys');
    this.#skipBytes();
    this.#skipBytes();
    const keys = this.#list(() => this.#section());
    for (let section = 1; section < keys.length; section += 1) this.#skipBytes();
    const levels = this.#list(() => this.#level());
    this.#list(() => this.#skipSeries());
    const finest = levels.at(-1);
    if (!finest) throw new DamagedSegment('a range has no blocks');
    return { keyCount, rowCount, keys, ...finest };
  }

  #level(): Pick<Format1Range, 'stepSeconds' | 'groups'> {
    const reader = this.#reader;
    const written = reader.varint();
    const stepSeconds = written === WHOLE ? 1 : written;
    const { first } = this.#span;
    let start = written === WHOLE ? first : first - (first % written);
    const length = this.#count();
    const hasHeads = this.#version >= VERSIONS.withHeads && reader.byte() === 1;
    const groups = Array.from({ length }, (): Format1Group => {
      const firstStart = start + reader.varint() * stepSeconds;
      start = firstStart + reader.varint() * stepSeconds;
      const group = { firstStart, ordinals: this.#section(), columns: this.#columns() };
      if (hasHeads) this.#columns();
      return group;
    });
    return { stepSeconds, groups };
  }

  #skipSeries(): void {
    this.#reader.varint();
    this.#section();
    this.#columns();
  }

  #columns(): (Format1Section | null)[] {
    return Array.from({ length: this.#slots }, () => this.#section());
  }

  /** Its lowest bit says whether a section opens a page. */
  #section(): Format1Section | null {
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

  /** Reads a number of items, each of which takes at least one byte. */
  #count(): number {
    const reader = this.#reader;
    const count = reader.varint();
    if (count > reader.bytes.length - reader.at) {
      throw new DamagedSegment(`the directory is too short for ${count} entries`);
    }
    return count;
  }

  #skipBytes(): void {
    this.#reader.skip(this.#count());
  }
}
