import { LIMITS } from '../../../domain/limits.ts';
import type { Flow } from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { createLineSplitter, type SplitLine } from '../../lines/line-splitter.ts';
import { createNfdumpReader, type NfdumpRow } from './nfdump-rows.ts';

/** Looks through a file of nfdump block by block. */
export type WayFinder = {
  readonly push: (block: Buffer) => void;
  /** To be called after the last block: whether the file tells both directions of a connection. */
  readonly end: () => boolean;
};

/**
 * Finds out whether a file was made with `nfdump -B`, which pairs the directions of a connection: a
 * file with any row of which something came back was (operations, "Since 0.7.0"). That row may be
 * the last, so the file has to be looked through before its first flow can be counted.
 */
export function createWayFinder(): WayFinder {
  const splitter = createLineSplitter(LIMITS.importLineBytes);
  const read = createNfdumpReader();
  let isTwoWay = false;
  const look = (lines: readonly SplitLine[]): void => {
    for (const line of lines) {
      if (isTwoWay) return;
      isTwoWay = typeof line === 'string' && line !== '' && rowIsTwoWay(read, line);
    }
  };
  return {
    push(block) {
      if (!isTwoWay) look(splitter.push(block));
    },
    end() {
      look(splitter.end());
      return isTwoWay;
    },
  };
}

function rowIsTwoWay(read: (line: string) => NfdumpRow | null, line: string): boolean {
  try {
    const row = read(line);
    return row !== null && (isNotZero(row, 'packetsBack') || isNotZero(row, 'bytesBack'));
  } catch (error) {
    // What is wrong with a line is said when it is imported.
    if (error instanceof BadLine) return false;
    throw error;
  }
}

const isNotZero = (row: NfdumpRow, role: 'packetsBack' | 'bytesBack'): boolean =>
  /[1-9]/.test(row.text(row.column(role)) ?? '');

/** Whether a flow says that something came back: then it is of `nfdump -B`, and so is its file. */
export const isTwoWay = ({ responder }: Flow): boolean =>
  responder.packets !== 0 || responder.bytes !== 0;
