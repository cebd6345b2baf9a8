import { isUtf8 } from 'node:buffer';
import { BadLine } from './bad-line.ts';

/** A line without its line break, or the reason why it is invalid. */
export type SplitLine = string | BadLine;

/** Takes the blocks of a text in order, and returns the lines that each one completes. */
type LineSplitter = {
  readonly push: (block: Buffer) => SplitLine[];
  /** Returns the last line, if the text does not end with a line break. */
  readonly end: () => SplitLine[];
};

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Returns a splitter of UTF-8 text into lines that end in LF or CRLF. Nothing is kept of a line
 * longer than `maxBytes`: it is one bad line, however long it is.
 */
export function createLineSplitter(maxBytes: number): LineSplitter {
  /** The beginning of a line that ends in a later block. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let isFirst = true;

  function keep(bytes: Buffer): void {
    begunBytes += bytes.length;
    // Too long: the line's length still matters, its content does not.
    if (begunBytes > maxBytes) begun = [];
    else if (bytes.length > 0) begun.push(bytes);
  }

  function takeBegun(): SplitLine[] {
    const lines = begunBytes > maxBytes ? [tooLong(maxBytes)] : decode(Buffer.concat(begun));
    begun = [];
    begunBytes = 0;
    return lines;
  }

  function decode(text: Buffer): SplitLine[] {
    const lines = isUtf8(text) ? text.toString().split('\n') : splitPartly(text);
    const checked = text.length > maxBytes ? lines.map((line) => fitting(line, maxBytes)) : lines;
    const start = isFirst ? checked.map(withoutMark) : checked;
    isFirst = false;
    return start.map(withoutReturn);
  }

  return {
    push(block) {
      const first = block.indexOf(LINE_FEED);
      if (first === -1) {
        keep(block);
        return [];
      }
      keep(block.subarray(0, first));
      const lines = takeBegun();
      const last = block.lastIndexOf(LINE_FEED);
      if (last > first) lines.push(...decode(block.subarray(first + 1, last)));
      keep(block.subarray(last + 1));
      return lines;
    },
    end: () => (begunBytes > 0 ? takeBegun() : []),
  };
}

const tooLong = (maxBytes: number): BadLine =>
  new BadLine(`it must be at most ${maxBytes} bytes long`);

const fitting = (line: SplitLine, maxBytes: number): SplitLine =>
  typeof line === 'string' && Buffer.byteLength(line) > maxBytes ? tooLong(maxBytes) : line;

/** Splits a text with a line that is not UTF-8. Only that line is bad. */
function splitPartly(text: Buffer): SplitLine[] {
  const lines: SplitLine[] = [];
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf(LINE_FEED, start);
    const end = found === -1 ? text.length : found;
    const line = text.subarray(start, end);
    lines.push(isUtf8(line) ? line.toString() : new BadLine('it must be UTF-8 text'));
    start = end + 1;
  }
  return lines;
}

const withoutMark = (line: SplitLine, index: number): SplitLine =>
  index === 0 && typeof line === 'string' && line.startsWith(BYTE_ORDER_MARK)
    ? line.slice(1)
    : line;

const withoutReturn = (line: SplitLine): SplitLine =>
  typeof line === 'string' && line.endsWith('\r') ? line.slice(0, -1) : line;
