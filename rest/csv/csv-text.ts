import { setImmediate } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { type Cell, QUOTED_IN_CSV, withoutFormula } from '../../domain/text/csv-cell.ts';

/** Ten thousand rows take some 30 ms, and other requests are not to wait so long for a turn. */
const ROWS_AT_ONCE = 500;

/**
 * The rows as CSV (RFC 4180): lines end with CRLF, and a text is quoted wherever a parser might
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
