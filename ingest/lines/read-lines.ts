import { LIMITS } from '../../domain/limits.ts';
import { BadLine } from './bad-line.ts';
import type { BadLineCollector } from './bad-lines.ts';
import { createLineSplitter, type SplitLine } from './line-splitter.ts';

/**
 * Takes a line that is not empty; throws a `BadLine` if it cannot. Returns what to wait for before
 * the next line. That is nearly always null, for nothing: waiting would cost more than the line.
 */
export type LineTaker = (line: string) => Promise<void> | null;

export type LineReaderOptions = {
  readonly content: AsyncIterable<Buffer>;
  readonly badLines: BadLineCollector;
  readonly take: LineTaker;
  /** Called after each block of content. */
  readonly onBlock?: (lineCount: number, block: Buffer) => void;
};

/** Passes the lines of a text to `take`, one after the other; returns their number. */
export async function readLines(options: LineReaderOptions): Promise<number> {
  const splitter = createLineSplitter(LIMITS.importLineBytes);
  let lineCount = 0;
  const takeAll = async (lines: readonly SplitLine[]) => {
    for (const line of lines) {
      lineCount += 1;
      try {
        if (typeof line !== 'string') throw line;
        const due = line === '' ? null : options.take(line);
        if (due !== null) await due;
      } catch (error) {
        if (!(error instanceof BadLine)) throw error;
        options.badLines.reject(lineCount, error);
      }
    }
  };
  for await (const block of options.content) {
    await takeAll(splitter.push(block));
    options.onBlock?.(lineCount, block);
  }
  await takeAll(splitter.end());
  return lineCount;
}
