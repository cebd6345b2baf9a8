import { type ReadUnit, type SkippedLines, skippedText } from '../../ingest/lines/skipped-lines.ts';
import { counted } from './counted.ts';

type Uncounted = {
  readonly skipped: SkippedLines;
  readonly badLines: number;
  readonly unit?: ReadUnit;
};

/** Returns the part of a result that says which lines are not counted; empty if all are. */
export function skippedPart({ skipped, badLines, unit = 'line' }: Uncounted): string {
  const text = skippedText(skipped, unit);
  const what = unit === 'line' ? 'bad line' : 'part';
  const how = unit === 'line' ? 'skipped' : 'refused';
  const bad = badLines > 0 ? `, ${counted(badLines, what)} ${how}` : '';
  return `${text === null ? '' : `, ${text}`}${bad}`;
}
