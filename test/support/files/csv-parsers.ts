import { parse } from 'csv-parse/sync';
import Papa from 'papaparse';

/** The grammar of RFC 4180, section 2, but text may have any character that needs no quotes. */
const FIELD = /(?:"(?:[^"]|"")*"|[^",\r\n]*)/.source;
const RECORD = `${FIELD}(?:,${FIELD})*`;
const FILE = new RegExp(`^(?:${RECORD}\r\n)*$`, 'u');

/**
 * The cells of a CSV file. Errors: it breaks the grammar of RFC 4180, one of two strict parsers
 * rejects it, or the parsers disagree. Both end a row at any line end outside quotes.
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
