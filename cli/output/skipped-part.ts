import { type SkippedLines, skippedText } from '../../ingest/lines/skipped-lines.ts';
import { counted } from './counted.ts';

type Uncounted = { readonly skipped: SkippedLines; readonly badLines: number };

/** Returns the part of a result that says which lines are not counted; empty if all are. */
export function skippedPart({ skipped, badLines }: Uncounted): string {
  const text = skippedText(skipped);
  const bad = badLines > 0 ? `, ${counted(badLines, 'bad line')} skipped` : '';
  return `${text === null ? '' : `, ${text}`}${bad}`;
}
