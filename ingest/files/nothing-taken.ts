import { IngestError } from '../ingest-error.ts';
import type { BadLines } from '../lines/bad-lines.ts';

/** Bad lines were skipped, and there was nothing else: the file likely has another format. */
export class NothingTaken extends IngestError {
  readonly badLines: BadLines;

  constructor(sourceName: string, format: string, badLines: BadLines) {
    const [first] = badLines.named;
    const where = first ? `, the first at line ${first.line} (${first.reason})` : '';
    super(
      `${sourceName}: no line could be read as ${format}, bad lines that were skipped: ` +
        `${badLines.count}${where}: check that this is its format`,
    );
    this.name = 'NothingTaken';
    this.badLines = badLines;
  }
}
