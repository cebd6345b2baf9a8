const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** A number with more digits may be rounded. */
const MAX_DIGITS = 15;

/** Field names, in the order of their bits in `seen`; the first four are required. */
const FIELDS = ['group', 'key', 'ts', 'values', 'count', 'probe'].map((name) =>
  Buffer.from(`"${name}"`),
);
const REQUIRED = 0b001111;

/** Index of a field by the first letter of its name, which no two share; −1 for other letters. */
const FIELD_BY_LETTER = new Int8Array(256).fill(-1);
for (const [field, name] of FIELDS.entries()) FIELD_BY_LETTER[name[1] as number] = field;

/** A part of the line's bytes: from `from` up to but not including `to`. */
export type ByteRange = { from: number; to: number };

/**
 * Reads lines of the shape that nearly all samples have from their bytes, without making strings:
 * an object of the fields above, each once, whose numbers are integers of few digits. Of any other
 * line it says only that it cannot read it, not that it is bad: `parseSampleLine` must read that
 * line.
 */
export class SampleBytes {
  readonly group: ByteRange = { from: 0, to: 0 };
  /** As in the line, so each backslash is doubled. */
  readonly key: ByteRange = { from: 0, to: 0 };
  keyHasBackslash = false;
  /** Empty if the line names none. */
  readonly probe: ByteRange = { from: 0, to: 0 };
  ts = 0;
  /** 1 if the line does not say it. */
  count = 1;
  /**
   * Number of meters with a value, which is the number of valid entries in `meterIds` and `values`.
   */
  meterCount = 0;
  readonly meterIds: number[] = [];
  readonly values: number[] = [];
  #textHasBackslash = false;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;

  /**
   * Returns whether it could read the line, whose content is then in the fields until the next
   * call. It may look at bytes beyond the line, but accepts only a line that ends where it should.
   */
  scan(bytes: Uint8Array, from: number, to: number): boolean {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
    this.count = 1;
    this.probe.from = 0;
    this.probe.to = 0;
    return this.#take(OPEN) && this.#fields() && this.#at === to;
  }

  #fields(): boolean {
    let seen = 0;
    do {
      const field = this.#nextField();
      // If a field appears twice, JSON uses the second.
      if (field < 0 || (seen & (1 << field)) !== 0) return false;
      if (!this.#take(COLON) || !this.#value(field)) return false;
      seen |= 1 << field;
    } while (this.#take(COMMA));
    return this.#take(CLOSE) && (seen & REQUIRED) === REQUIRED;
  }

  /** Skips the name of a field and returns its index; −1 if it is none of them. */
  #nextField(): number {
    const bytes = this.#bytes;
    const at = this.#skipSpaces();
    const field = FIELD_BY_LETTER[bytes[at + 1] as number] as number;
    if (!(field >= 0)) return -1;
    const name = FIELDS[field] as Buffer;
    for (let i = 0; i < name.length; i += 1) if (bytes[at + i] !== name[i]) return -1;
    this.#at = at + name.length;
    return field;
  }

  #value(field: number): boolean {
    switch (field) {
      case 0:
        return this.#takeText(this.group) && !this.#textHasBackslash;
      case 1:
        if (!this.#takeText(this.key)) return false;
        this.keyHasBackslash = this.#textHasBackslash;
        return true;
      case 2:
        this.ts = this.#number();
        return !Number.isNaN(this.ts);
      case 3:
        return this.#meters();
      case 4:
        this.count = this.#number();
        return !Number.isNaN(this.count);
      default:
        return this.#takeText(this.probe) && !this.#textHasBackslash;
    }
  }

  /** Reads a text that is not empty, whose only allowed escape is that of the backslash. */
  #takeText(into: ByteRange): boolean {
    if (!this.#take(QUOTE)) return false;
    const bytes = this.#bytes;
    const end = this.#end;
    const from = this.#at;
    this.#textHasBackslash = false;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        into.from = from;
        into.to = at;
        this.#at = at + 1;
        return at > from;
      }
      if (byte !== BACKSLASH) continue;
      at += 1;
      if (bytes[at] !== BACKSLASH) return false;
      this.#textHasBackslash = true;
    }
    return false;
  }

  #meters(): boolean {
    let count = 0;
    if (!this.#take(OPEN)) return false;
    do {
      if (!this.#take(QUOTE)) return false;
      const id = this.#integer(this.#at);
      if (this.#bytes[this.#at] !== QUOTE) return false;
      this.#at += 1;
      if (!this.#take(COLON)) return false;
      const value = this.#number();
      // The sum shows at once whether one of them is not a number.
      if (Number.isNaN(id + value)) return false;
      this.meterIds[count] = id;
      this.values[count] = value;
      count += 1;
    } while (this.#take(COMMA));
    this.meterCount = count;
    return this.#take(CLOSE);
  }

  #number(): number {
    return this.#integer(this.#skipSpaces());
  }

  /** Reads an integer of few digits, as JSON writes it; returns NaN for anything else. */
  #integer(from: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    const isNegative = bytes[from] === MINUS;
    const start = isNegative ? from + 1 : from;
    let value = 0;
    let at = start;
    for (; at < end; at += 1) {
      const digit = (bytes[at] as number) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#at = at;
    const digits = at - start;
    if (digits === 0 || digits > MAX_DIGITS) return Number.NaN;
    // JSON allows no leading zeros; −0 is left to `parseSampleLine`.
    if (bytes[start] === ZERO && (digits > 1 || isNegative)) return Number.NaN;
    return isNegative ? -value : value;
  }

  /**
   * Skips spaces and then the given byte. Returns false, and skips nothing, if another byte comes
   * next.
   */
  #take(byte: number): boolean {
    const at = this.#skipSpaces();
    if (this.#bytes[at] !== byte) return false;
    this.#at = at + 1;
    return true;
  }

  /** Returns the position of the next byte that is not a space. */
  #skipSpaces(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    while (bytes[at] === SPACE) at += 1;
    return at;
  }
}
