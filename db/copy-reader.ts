/** The start of every binary COPY: a signature of 11 bytes, flags and an empty extension. */
const HEADER_BYTES = 19;

/**
 * Reads the output of `COPY … TO STDOUT (FORMAT binary)`, tuple by tuple and field by field
 * (PostgreSQL manual, COPY, "Binary Format"): numbers in network byte order, −1 as the length of
 * null.
 */
export class CopyReader {
  readonly #buffer: Buffer;
  #at = HEADER_BYTES;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** Moves to the next tuple. Returns false if there is none. */
  next(): boolean {
    const fields = this.#buffer.readInt16BE(this.#at);
    this.#at += 2;
    return fields >= 0;
  }

  /** Reads a smallint, an integer, or a bigint that a double holds exactly. */
  integer(): number {
    const bytes = this.bytes();
    if (bytes.length === 8) return Number(bytes.readBigInt64BE());
    return bytes.readIntBE(0, bytes.length);
  }

  /**
   * Reads an integer[] without nulls: a header of five words, then each number after its length.
   */
  integers(): number[] {
    const bytes = this.bytes();
    const numbers: number[] = [];
    for (let at = 24; at < bytes.length; at += 8) numbers.push(bytes.readInt32BE(at));
    return numbers;
  }

  /** Reads a bytea as a view of the buffer; null becomes empty. */
  bytes(): Buffer {
    const length = this.#buffer.readInt32BE(this.#at);
    this.#at += 4;
    const from = this.#at;
    this.#at += Math.max(0, length);
    return this.#buffer.subarray(from, this.#at);
  }
}
