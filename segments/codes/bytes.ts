import { DamagedSegment } from '../damaged-segment.ts';
import { NARROW_BOUND } from './lanes.ts';

/** A buffer that grows as bytes and variable-length numbers (LEB128) are appended. */
export class ByteWriter {
  // V8 keeps the bytes of so small an array in its heap, and most columns need no more.
  #bytes = new Uint8Array(64);
  /** Of the bytes; null until a number is written by it. */
  #view: DataView | null = null;
  length = 0;

  /** Returns a copy of the bytes written. */
  take(): Uint8Array {
    return this.#bytes.slice(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length] = value;
    this.length += 1;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Appends the bytes of another writer. */
  appendFrom(other: ByteWriter): void {
    this.append(other.#bytes.subarray(0, other.length));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#view ??= new DataView(this.#bytes.buffer);
    this.#view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  /** Appends a whole number from 0 to 2^53−1: seven bits per byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    const bytes = this.#bytes;
    let rest = value;
    let at = this.length;
    // Bit operations truncate to 32 bits, so larger numbers are divided.
    while (rest >= 0x8000_0000) {
      bytes[at] = (rest % 128) | 128;
      at += 1;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      bytes[at] = (rest & 127) | 128;
      at += 1;
      rest >>>= 7;
    }
    bytes[at] = rest;
    this.length = at + 1;
  }

  /** Appends a whole number of either sign, with the sign in the lowest bit. */
  signed(value: number): void {
    if (Math.abs(value) * 2 < NARROW_BOUND) this.varint(value < 0 ? -2 * value - 1 : 2 * value);
    else throw new RangeError(`${value} is too large for a signed varint`);
  }

  /**
   * Returns the array, with room for `count` more bytes. The caller writes them from `length` on
   * and then advances `length`.
   */
  room(count: number): Uint8Array {
    this.#reserve(count);
    return this.#bytes;
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 4, this.length + count));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = null;
  }
}

/** Reads what a ByteWriter wrote. Errors: DamagedSegment. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw endedEarly();
    this.at += 1;
    return value;
  }

  double(): number {
    if (this.at + 8 > this.bytes.length) throw endedEarly();
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  varint(): number {
    const { bytes } = this;
    let at = this.at;
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw endedEarly();
      at += 1;
      if (byte < 128) {
        this.at = at;
        value += byte * scale;
        if (value > Number.MAX_SAFE_INTEGER) throw tooLarge();
        return value;
      }
      // Eight bytes hold 53 bits and more. Without this bound, damaged bytes would be read to the
      // end.
      if (scale > NARROW_BOUND) throw tooLarge();
      value += (byte & 127) * scale;
      scale *= 128;
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  skip(count: number): void {
    this.at += count;
    if (this.at > this.bytes.length) throw endedEarly();
  }
}

const endedEarly = () => new DamagedSegment('packed data end too early');
const tooLarge = () => new DamagedSegment('a number has more than 53 bits');
