import { Readable } from 'node:stream';
import { type ImportReport, importFile } from '../../../ingest/files/import-file.ts';

/** Imports sample lines, given as objects or as text, as if from a file. */
export const importLines = (
  databaseUrl: string,
  context: string,
  lines: readonly (object | string)[],
): Promise<ImportReport> =>
  importFile({
    databaseUrl,
    context,
    format: 'samples',
    source: {
      name: 'sample lines',
      sizeBytes: null,
      isRepeatable: true,
      open: () => Readable.from(lines.map(toLine).map((line) => Buffer.from(line))),
    },
    now: () => Math.floor(Date.now() / 1000),
  });

const toLine = (line: object | string): string =>
  `${typeof line === 'string' ? line : JSON.stringify(line)}\n`;
