import { setImmediate } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { type Cell, QUOTED_IN_CSV, withoutFormula } from '../../domain/text/csv-cell.ts';

/** Ten thousand rows take about 30 ms, which is too long for other requests to wait. */
const ROWS_AT_ONCE = 500;

/**
 * Writes the rows as CSV (RFC 4180). Lines end with CRLF, and a text is quoted if a parser might
 * end its cell or its row early, or trim it. Numbers are written in full.
 */
export async function csvText(rows: Iterable<readonly Cell[]>): Promise<string> {
  let text = '';
  let batch: Cell[][] = [];
  for (const row of rows) {
    batch.push(row.map(withoutFormula));
    if (batch.length < ROWS_AT_ONCE) continue;
    text += write(batch);
    batch = [];
    await setImmediate();
  }
  return text + write(batch);
}

const write = (rows: readonly (readonly Cell[])[]): string =>
  stringify([...rows], { record_delimiter: 'windows', quoted_match: QUOTED_IN_CSV });
