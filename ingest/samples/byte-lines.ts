import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../../domain/limits.ts';
import { BadLine } from '../lines/bad-line.ts';
import type { BadLineCollector } from '../lines/bad-lines.ts';

/** A line without its line break. The same object is reused for every line. */
export type LineBytes = { bytes: Buffer; from: number; to: number };

/**
 * Takes a line that is not empty; throws a `BadLine` if it cannot. Returns what to wait for before
 * the next line. That is nearly always null, for nothing: waiting would cost more than the line.
 */
export type ByteLineTaker = (line: LineBytes) => Promise<void> | null;

type ByteLineOptions = {
  readonly content: AsyncIterable<Buffer>;
  readonly badLines: BadLineCollector;
  readonly take: ByteLineTaker;
  /** Called after each block of content. */
  readonly onBlock?: (lineCount: number, block: Buffer) => void;
};

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Passes the lines of a text, which end in LF or CRLF, to `take` as bytes; returns their number.
 * Nothing is kept of a line that is too long: it is one bad line, however long it is.
 */
export async function readByteLines(options: ByteLineOptions): Promise<number> {
  const reader = new ByteLineReader(options);
  for await (const block of options.content) {
    await reader.takeBlock(block);
    options.onBlock?.(reader.lineCount, block);
  }
  await reader.end();
  return reader.lineCount;
}

/** Returns a line as text. Throws a BadLine if it is not UTF-8. */
export function lineText({ bytes, from, to }: LineBytes): string {
  const line = bytes.subarray(from, to);
  if (!isUtf8(line)) throw new BadLine('it must be UTF-8 text');
  return line.toString();
}

class ByteLineReader {
  lineCount = 0;
  readonly #options: ByteLineOptions;
  readonly #line: LineBytes = { bytes: Buffer.alloc(0), from: 0, to: 0 };
  /** The beginning of a line that ends in a later block. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  constructor(options: ByteLineOptions) {
    this.#options = options;
  }

  async takeBlock(block: Buffer): Promise<void> {
    let from = 0;
    if (this.#begunBytes > 0) {
      const end = block.indexOf(LINE_FEED);
      this.#keep(end === -1 ? block : block.subarray(0, end));
      if (end === -1) return;
      await this.#takeBegun();
      from = end + 1;
    }
    for (;;) {
      const to = block.indexOf(LINE_FEED, from);
      if (to === -1) break;
      const due = this.#take(block, from, to);
      if (due !== null) await this.#settle(due);
      from = to + 1;
    }
    this.#keep(block.subarray(from));
  }

  /** Takes the last line, if the text does not end with a line break. */
  async end(): Promise<void> {
    if (this.#begunBytes > 0) await this.#takeBegun();
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#begunBytes += bytes.length;
    // Too long: the line's length still matters, its content does not.
    if (this.#begunBytes > LIMITS.importLineBytes) this.#begun = [];
    else this.#begun.push(Buffer.from(bytes));
  }

  async #takeBegun(): Promise<void> {
    const length = this.#begunBytes;
    const line = Buffer.concat(this.#begun);
    this.#begun = [];
    this.#begunBytes = 0;
    const due = this.#take(line.length === length ? line : null, 0, length);
    if (due !== null) await this.#settle(due);
  }

  /** `bytes` is null for a line that is too long. */
  #take(bytes: Buffer | null, start: number, end: number): Promise<void> | null {
    this.lineCount += 1;
    const from = bytes && this.lineCount === 1 ? start + markLength(bytes, start) : start;
    const to = bytes && end > from && bytes[end - 1] === RETURN ? end - 1 : end;
    try {
      if (bytes === null || end - start > LIMITS.importLineBytes) {
        throw new BadLine(`it must be at most ${LIMITS.importLineBytes} bytes long`);
      }
      if (from === to) return null;
      this.#line.bytes = bytes;
      this.#line.from = from;
      this.#line.to = to;
      return this.#options.take(this.#line);
    } catch (error) {
      this.#reject(error);
      return null;
    }
  }

  async #settle(due: Promise<void>): Promise<void> {
    try {
      await due;
    } catch (error) {
      this.#reject(error);
    }
  }

  #reject(error: unknown): void {
    if (!(error instanceof BadLine)) throw error;
    this.#options.badLines.reject(this.lineCount, error);
  }
}

function markLength(bytes: Buffer, from: number): number {
  const isMark = BYTE_ORDER_MARK.every((byte, i) => bytes[from + i] === byte);
  return isMark ? BYTE_ORDER_MARK.length : 0;
}
