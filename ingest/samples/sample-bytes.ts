const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** A number of more digits may be rounded. */
const MAX_DIGITS = 15;

/** In the order of their bits in what was seen; the first four are required. */
const FIELDS = ['group', 'key', 'ts', 'values', 'count', 'probe'].map((name) =>
  Buffer.from(`"${name}"`),
);
const REQUIRED = 0b001111;

/** A part of the line's bytes: from `from` to before `to`. */
export type ByteRange = { from: number; to: number };

/**
 * Reads lines of the shape that nearly all samples have, from their bytes, so that no string is
 * made of them: an object of the fields above, each once, whose numbers are integers of few digits.
 * Of any other line it says that it cannot read it, not that it is bad: `parseSampleLine` is to read
 * that.
 */
export class SampleBytes {
  readonly group: ByteRange = { from: 0, to: 0 };
  /** As the line has it, so a backslash is written twice. */
  readonly key: ByteRange = { from: 0, to: 0 };
  keyHasBackslash = false;
  /** Null where the line does not name one. */
  probe: ByteRange | null = null;
  ts = 0;
  /** 1 where the line does not say it. */
  count = 1;
  /** How many meters have a value; of `meterIds` and `values` so many are meant. */
  meterCount = 0;
  readonly meterIds: number[] = [];
  readonly values: number[] = [];
  readonly #text: ByteRange = { from: 0, to: 0 };
  #textHasBackslash = false;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;

  /** Whether it could read the line. What it is then is in the fields, until the next call. */
  scan(bytes: Uint8Array, from: number, to: number): boolean {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
    this.count = 1;
    this.probe = null;
    return this.#take(OPEN) && this.#fields() && this.#at === to;
  }

  #fields(): boolean {
    let seen = 0;
    do {
      const field = this.#nextField();
      // Of a field that comes twice, JSON means the second.
      if (field < 0 || (seen & (1 << field)) !== 0) return false;
      if (!this.#take(COLON) || !this.#value(field)) return false;
      seen |= 1 << field;
    } while (this.#take(COMMA));
    return this.#take(CLOSE) && (seen & REQUIRED) === REQUIRED;
  }

  /** Passes the name of a field; −1: it is none of them. */
  #nextField(): number {
    this.#skipSpaces();
    for (let field = 0; field < FIELDS.length; field += 1) {
      const name = FIELDS[field] as Buffer;
      if (!this.#startsWith(name)) continue;
      this.#at += name.length;
      return field;
    }
    return -1;
  }

  #startsWith(name: Uint8Array): boolean {
    if (this.#at + name.length > this.#end) return false;
    for (let i = 0; i < name.length; i += 1) {
      if (this.#bytes[this.#at + i] !== name[i]) return false;
    }
    return true;
  }

  #value(field: number): boolean {
    switch (field) {
      case 0:
        return this.#takeText() && !this.#textHasBackslash && this.#keepText(this.group);
      case 1:
        if (!this.#takeText()) return false;
        this.keyHasBackslash = this.#textHasBackslash;
        return this.#keepText(this.key);
      case 2:
        this.ts = this.#number();
        return !Number.isNaN(this.ts);
      case 3:
        return this.#meters();
      case 4:
        this.count = this.#number();
        return !Number.isNaN(this.count);
      default:
        if (!this.#takeText() || this.#textHasBackslash) return false;
        this.probe = { from: this.#text.from, to: this.#text.to };
        return true;
    }
  }

  #keepText(into: ByteRange): boolean {
    into.from = this.#text.from;
    into.to = this.#text.to;
    return into.to > into.from;
  }

  /** Passes a text, of whose escapes only that of the backslash is known. */
  #takeText(): boolean {
    if (!this.#take(QUOTE)) return false;
    const bytes = this.#bytes;
    this.#text.from = this.#at;
    this.#textHasBackslash = false;
    for (let at = this.#at; at < this.#end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#text.to = at;
        this.#at = at + 1;
        return true;
      }
      if (byte !== BACKSLASH) continue;
      at += 1;
      if (bytes[at] !== BACKSLASH) return false;
      this.#textHasBackslash = true;
    }
    return false;
  }

  #meters(): boolean {
    this.meterCount = 0;
    if (!this.#take(OPEN)) return false;
    do {
      if (!this.#take(QUOTE)) return false;
      const id = this.#integer();
      if (this.#bytes[this.#at] !== QUOTE) return false;
      this.#at += 1;
      if (!this.#take(COLON)) return false;
      const value = this.#number();
      // Adding them tells at once whether one of them is none.
      if (Number.isNaN(id + value)) return false;
      this.meterIds[this.meterCount] = id;
      this.values[this.meterCount] = value;
      this.meterCount += 1;
    } while (this.#take(COMMA));
    return this.#take(CLOSE);
  }

  #number(): number {
    this.#skipSpaces();
    return this.#integer();
  }

  /** An integer as JSON writes it, of few digits; else NaN. */
  #integer(): number {
    const bytes = this.#bytes;
    const isNegative = bytes[this.#at] === MINUS;
    if (isNegative) this.#at += 1;
    const start = this.#at;
    let value = 0;
    let at = start;
    for (; at < this.#end; at += 1) {
      const byte = bytes[at] as number;
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
    }
    this.#at = at;
    const digits = at - start;
    if (digits === 0 || digits > MAX_DIGITS) return Number.NaN;
    // JSON allows no zeros in front; and −0 is left to those who know what it means.
    const startsWithZero = bytes[start] === ZERO;
    if (startsWithZero && (digits > 1 || isNegative)) return Number.NaN;
    return isNegative ? -value : value;
  }

  /** Passes a byte, and spaces before it, if that is the next one. */
  #take(byte: number): boolean {
    this.#skipSpaces();
    if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false;
    this.#at += 1;
    return true;
  }

  #skipSpaces(): void {
    while (this.#at < this.#end && this.#bytes[this.#at] === SPACE) this.#at += 1;
  }
}
