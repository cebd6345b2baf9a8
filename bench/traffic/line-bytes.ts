const BLOCK_BYTES = 256 * 1024;

/**
 * Builds the text of many lines as bytes. Building strings and converting them took five times as
 * long, and would dominate the time to generate samples.
 */
export class LineBytes {
  #bytes = Buffer.allocUnsafe(2 * BLOCK_BYTES);
  #length = 0;

  bytes(text: Uint8Array): void {
    this.#reserve(text.length);
    if (text.length > SHORT) this.#bytes.set(text, this.#length);
    else for (let i = 0; i < text.length; i += 1) this.#bytes[this.#length + i] = text[i] ?? 0;
    this.#length += text.length;
  }

  /** Adds a whole number from 0 to 2^31 − 1 in decimal. */
  number(value: number): void {
    const end = this.#length + digitCount(value);
    this.#reserve(MOST_DIGITS);
    let rest = value;
    for (let at = end - 1; at >= this.#length; at -= 1) {
      const shorter = (rest / 10) | 0;
      this.#bytes[at] = ZERO + rest - shorter * 10;
      rest = shorter;
    }
    this.#length = end;
  }

  /** Whether enough was added to be worth passing on. */
  get isBlock(): boolean {
    return this.#length >= BLOCK_BYTES;
  }

  /** Returns what was added since the last call. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + count);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Up to this length, a loop is faster than a call of `set`. */
const SHORT = 24;
const ZERO = 0x30;
const MOST_DIGITS = 10;

function digitCount(value: number): number {
  let count = 1;
  for (let least = 10; least <= value; least *= 10) count += 1;
  return count;
}
