import { LIMITS } from '../../../domain/limits.ts';
import type { Flow } from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { createLineSplitter, type SplitLine } from '../../lines/line-splitter.ts';
import { createNfdumpReader, type NfdumpRow } from './nfdump-rows.ts';

/** Scans an nfdump file block by block. */
type WayFinder = {
  readonly push: (block: Buffer) => void;
  /**
   * Called after the last block. Returns whether the file reports both directions of a connection.
   */
  readonly end: () => boolean;
};

/**
 * Returns a scanner that finds out whether a file was made with `nfdump -B`, which pairs the
 * directions of a connection: it was if any row has reverse traffic (operations, "Since 0.7.0").
 * That row may be the last, so the file has to be scanned before its first flow can be counted.
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
    // The import reports what is wrong with a line.
    if (error instanceof BadLine) return false;
    throw error;
  }
}

const isNotZero = (row: NfdumpRow, role: 'packetsBack' | 'bytesBack'): boolean =>
  /[1-9]/.test(row.text(row.column(role)) ?? '');

/**
 * Returns whether a flow has reverse traffic: then it comes from `nfdump -B`, and so does its file.
 */
export const isTwoWay = ({ responder }: Flow): boolean =>
  responder.packets !== 0 || responder.bytes !== 0;
