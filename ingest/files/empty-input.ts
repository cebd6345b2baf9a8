import type { ImportFormat } from '../../domain/import-formats.ts';
import { IngestError } from '../ingest-error.ts';
import { type SkippedLines, skippedText } from '../lines/skipped-lines.ts';

/** An input from which nothing was counted, and which has no bad line. */
type EmptyInput = {
  readonly source: string;
  readonly format: ImportFormat;
  readonly lines: number;
  readonly skipped: SkippedLines;
};

/**
 * Throws if an input from which nothing was counted is likely a mistake: it has lines that were
 * skipped, or nfdump has found nothing. nfdump writes a header and a summary even
 * if it finds nothing, and exits with status 0 if a filter, a folder or a time window is wrong, so
 * what a pipe delivers looks like a quiet network. Logs of the other formats are empty in a quiet
 * hour.
 */
export function refuseEmpty({ source, format, lines, skipped }: EmptyInput): void {
  const why = skippedText(skipped);
  if (why !== null) {
    throw new IngestError(
      `${source}: nothing was counted, ${why}: check that the collector reports what you expect. ` +
        '--allow-empty accepts an input of which nothing is counted',
    );
  }
  if (format !== 'nfdump') return;
  const what =
    lines === 0
      ? 'it is empty: nfdump wrote nothing, not even a header: see its messages on standard error'
      : "it is empty: nfdump found no flows: check nfdump's files (-r, -R), filter and time window (-t)";
  throw new IngestError(`${source}: ${what}. --allow-empty accepts an input without flows`);
}
