import { IngestError } from '../ingest-error.ts';
import type { BadLines } from '../lines/bad-lines.ts';
import { type SkippedLines, skippedText } from '../lines/skipped-lines.ts';

type Untaken = {
  readonly source: string;
  readonly format: string;
  readonly badLines: BadLines;
  readonly skipped: SkippedLines;
};

/** Bad lines were skipped, and nothing was counted: the file likely has another format. */
export class NothingTaken extends IngestError {
  readonly badLines: BadLines;

  constructor({ source, format, badLines, skipped }: Untaken) {
    const [first] = badLines.named;
    const where = first ? `, the first at line ${first.line} (${first.reason})` : '';
    const others = skippedText(skipped);
    super(
      `${source}: no line could be read as ${format}, bad lines that were skipped: ` +
        `${badLines.count}${where}${others === null ? '' : `, and others: ${others}`}: ` +
        'check that this is its format',
    );
    this.name = 'NothingTaken';
    this.badLines = badLines;
  }
}
