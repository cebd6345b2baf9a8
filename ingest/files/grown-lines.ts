import { LIMITS } from '../../domain/limits.ts';
import { BadLine } from '../lines/bad-line.ts';
import type { BadLineCollector } from '../lines/bad-lines.ts';

/** Which bytes of a file are new: those from `from` to `to`, which is the end of a line. */
export type GrownPart = { readonly from: number; readonly to: number };

/** Reads the line; null: it has no record. Throws a `BadLine` if it cannot be read. */
type Parse<Record> = (line: string) => Record | null;

const LINE_FEED = 0x0a;

/**
 * Takes only the lines of a file that are new. The lines before them are read again, because they
 * may have a header, but nothing comes of them.
 *
 * The last line that is known may have been incomplete when it was imported. If it could be read
 * then, it counts as it did, and what was written of it later is left out. If not, it is new.
 */
export class GrownLines {
  /** Number of lines before the new ones. */
  knownLines = 0;
  /** The line of which only the beginning counts; undefined: there is none. */
  cutLine: number | undefined = undefined;
  readonly #part: GrownPart;
  #isKnown = true;
  /** The beginning of a line that is known and counted; null: there is none. */
  #begun: string | null = null;
  #parse: Parse<unknown> = () => null;

  constructor(part: GrownPart) {
    this.#part = part;
  }

  /** Passes content on up to the end of the part, so that a block is either known or new. */
  async *content(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { from, to } = this.#part;
    let at = 0;
    let tail = Buffer.alloc(0);
    for await (const block of blocks) {
      const known = block.subarray(0, Math.max(0, from - at));
      if (known.length > 0) yield known;
      if (this.#isKnown) {
        const lineEnd = known.lastIndexOf(LINE_FEED) + 1;
        const begun = lineEnd > 0 ? [] : [tail.subarray(0, LIMITS.importLineBytes)];
        tail = Buffer.concat([...begun, known.subarray(lineEnd)]);
        if (at + known.length === from) this.#begin(tail.toString().replace(/\r$/, ''));
      }
      const fresh = block.subarray(known.length, Math.max(0, to - at));
      if (fresh.length > 0) yield fresh;
      at += block.length;
      if (at >= to) return;
    }
  }

  /** Called with the number of lines after each block. */
  readonly noteLines = (lineCount: number): void => {
    if (this.#isKnown) this.knownLines = lineCount;
  };

  /** Returns a parser that returns null for lines that are not new. */
  readonly parser = <Record>(parse: Parse<Record>): Parse<Record> => {
    this.#parse = parse;
    return (line) => {
      const isNew = this.isNew(() => line);
      const record = isNew || this.#isKnown ? parse(line) : null;
      return isNew ? record : null;
    };
  };

  /** Decides about the next line. For formats without a header, after `parsesWith`. */
  isNew(line: () => string): boolean {
    if (this.#isKnown) return false;
    const begun = this.#begun;
    if (begun === null) return true;
    this.#begun = null;
    if (line() !== begun) this.cutLine = this.knownLines;
    return false;
  }

  parsesWith(parse: Parse<unknown>): void {
    this.#parse = parse;
  }

  /** Calls `note` only for new lines. */
  ofNew<Value>(note: (value: Value) => void): (value: Value) => void {
    return (value) => {
      if (!this.#isKnown) note(value);
    };
  }

  badLines({ reject, result }: BadLineCollector): BadLineCollector {
    return {
      reject: (line, error) => {
        if (!this.#isKnown) reject(line, error);
      },
      result,
    };
  }

  #begin(line: string): void {
    if (line !== '' && this.#canRead(line)) {
      this.#begun = line;
      this.knownLines += 1;
    }
    this.#isKnown = false;
  }

  #canRead(line: string): boolean {
    try {
      return this.#parse(line) !== null;
    } catch (error) {
      if (error instanceof BadLine) return false;
      throw error;
    }
  }
}
