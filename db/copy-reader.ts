/** The start of every binary COPY: a signature of 11 bytes, flags and an empty extension. */
const HEADER_BYTES = 19;

/**
 * Reads what `COPY … TO STDOUT (FORMAT binary)` gave, tuple by tuple and field by field
 * (PostgreSQL manual, COPY, "Binary Format"): numbers in network order, −1 for the length of null.
 */
export class CopyReader {
  readonly #buffer: Buffer;
  #at = HEADER_BYTES;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** Goes to the next tuple; false: there is none. */
  next(): boolean {
    const fields = this.#buffer.readInt16BE(this.#at);
    this.#at += 2;
    return fields >= 0;
  }

  /** A smallint, integer or bigint that a double holds. */
  integer(): number {
    const bytes = this.bytes();
    if (bytes.length === 8) return Number(bytes.readBigInt64BE());
    return bytes.readIntBE(0, bytes.length);
  }

  /** An integer[] without nulls: five words about it, then each number behind its length. */
  integers(): number[] {
    const bytes = this.bytes();
    const numbers: number[] = [];
    for (let at = 24; at < bytes.length; at += 8) numbers.push(bytes.readInt32BE(at));
    return numbers;
  }

  /** A bytea as a view of the whole; null is empty. */
  bytes(): Buffer {
    const length = this.#buffer.readInt32BE(this.#at);
    this.#at += 4;
    const from = this.#at;
    this.#at += Math.max(0, length);
    return this.#buffer.subarray(from, this.#at);
  }
}
