import { stringify } from 'csv-stringify/sync';
import { type Cell, QUOTED_IN_CSV, withoutFormula } from '../../domain/text/csv-cell.ts';
import type { AnswerWriter } from '../../resolvers/answer-writer.ts';

/** Rows that take about a millisecond. */
const ROWS_AT_ONCE = 300;

/**
 * Writes the rows as CSV (RFC 4180). Lines end with CRLF, and a text is quoted if a parser might
 * end its cell or its row early, or trim it. Numbers are written in full.
 */
export async function writeCsv(
  writer: AnswerWriter,
  rows: Iterable<readonly Cell[]>,
): Promise<void> {
  let batch: Cell[][] = [];
  for (const row of rows) {
    batch.push(row.map(withoutFormula));
    if (batch.length < ROWS_AT_ONCE) continue;
    await writer.write(textOf(batch));
    batch = [];
  }
  await writer.write(textOf(batch));
}

const textOf = (rows: readonly (readonly Cell[])[]): string =>
  stringify([...rows], { record_delimiter: 'windows', quoted_match: QUOTED_IN_CSV });
