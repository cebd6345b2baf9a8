import { IngestError } from '../ingest-error.ts';
import type { ImportFormat } from './import-format.ts';

/** An input of which nothing was taken, and no line was bad. */
export type EmptyInput = {
  readonly source: string;
  readonly format: ImportFormat;
  readonly lines: number;
};

/**
 * Fails where an input without flows is likely a mistake. nfdump writes a header and a summary even
 * of nothing, and ends with status 0 when a filter, a folder or a time window is wrong: what a pipe
 * brings then looks like a quiet network. Logs of the other formats are empty in a quiet hour.
 */
export function refuseEmpty({ source, format, lines }: EmptyInput): void {
  if (format !== 'nfdump') return;
  const what =
    lines === 0
      ? 'it is empty: nfdump wrote nothing, not even a header: see what it says on standard error'
      : "it is empty: nfdump found no flows: check nfdump's files (-r, -R), filter and time window (-t)";
  throw new IngestError(`${source}: ${what}. --allow-empty takes an input without flows`);
}
