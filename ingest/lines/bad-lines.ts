import { LIMITS } from '../../domain/limits.ts';
import { IngestError } from '../ingest-error.ts';
import type { BadLine } from './bad-line.ts';

type NamedBadLine = { readonly line: number; readonly reason: string };

/** The lines that were skipped: their number, and the first ones by name. */
export type BadLines = { readonly count: number; readonly named: readonly NamedBadLine[] };

/** Decides what happens to bad lines. */
export type BadLineCollector = {
  readonly reject: (line: number, error: BadLine) => void;
  readonly result: () => BadLines;
};

/**
 * Returns a collector that skips bad lines and records them, or throws an `IngestError` at the
 * first.
 */
export function collectBadLines(sourceName: string, skip: 'skip' | 'stop'): BadLineCollector {
  const named: NamedBadLine[] = [];
  let count = 0;
  return {
    reject(line, error) {
      if (skip === 'stop') {
        throw new IngestError(`${sourceName}, line ${line}: ${error.message}`, { cause: error });
      }
      count += 1;
      if (named.length < LIMITS.importNamedBadLines) named.push({ line, reason: error.message });
    },
    result: () => ({ count, named }),
  };
}
