import { IngestError } from '../ingest-error.ts';
import type { ImportFormat } from './import-format.ts';

/** An input from which nothing was taken, and which has no bad line. */
type EmptyInput = {
  readonly source: string;
  readonly format: ImportFormat;
  readonly lines: number;
};

/**
 * Throws if an input without flows is likely a mistake. nfdump writes a header and a summary even
 * if it finds nothing, and exits with status 0 if a filter, a folder or a time window is wrong, so
 * what a pipe delivers looks like a quiet network. Logs of the other formats are empty in a quiet
 * hour.
 */
export function refuseEmpty({ source, format, lines }: EmptyInput): void {
  if (format !== 'nfdump') return;
  const what =
    lines === 0
      ? 'it is empty: nfdump wrote nothing, not even a header: see its messages on standard error'
      : "it is empty: nfdump found no flows: check nfdump's files (-r, -R), filter and time window (-t)";
  throw new IngestError(`${source}: ${what}. --allow-empty accepts an input without flows`);
}
