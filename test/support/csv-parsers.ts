import { parse } from 'csv-parse/sync';
import Papa from 'papaparse';

/** RFC 4180, section 2, as it stands there; a text may have any character that needs no quotes. */
const FIELD = /(?:"(?:[^"]|"")*"|[^",\r\n]*)/.source;
const RECORD = `${FIELD}(?:,${FIELD})*`;
const FILE = new RegExp(`^(?:${RECORD}\r\n)*$`, 'u');

/**
 * The cells of a CSV file. Errors: it is none by the grammar of RFC 4180, one of two strict parsers
 * refuses it, or they read something else. Both end a row at any line end that is not in quotes.
 */
export function parseCsv(text: string): string[][] {
  if (!FILE.test(text)) throw new Error(`not RFC 4180: ${JSON.stringify(text)}`);
  const rows: string[][] = parse(text, { record_delimiter: ['\r\n', '\n', '\r'] });
  const { data, errors } = Papa.parse<string[]>(text.replace(/\r\n$/, ''), { delimiter: ',' });
  if (errors.length > 0) throw new Error(`Papa Parse: ${JSON.stringify(errors)}`);
  if (JSON.stringify(data) !== JSON.stringify(rows)) {
    throw new Error(`read in two ways: ${JSON.stringify({ rows, data })}`);
  }
  return rows;
}
