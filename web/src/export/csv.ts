/** A value of a table; null is an empty cell. */
export type Cell = string | number | null;

/**
 * RFC 4180: lines end with CRLF, and a text is quoted wherever a parser might end its cell or its
 * row early, or trim it.
 */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');

/**
 * Spreadsheets take texts that begin so for formulas, which may do anything; some skip what cannot
 * be seen (OWASP, CSV injection). An apostrophe in front keeps such a text a text.
 */
const FORMULA = /^[\t\r\n]|^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;

/** Besides CR and LF there are other characters that some parsers end a row at. */
const QUOTED = /[",\p{Cc}\u2028\u2029]|^\s|\s$/u;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = FORMULA.test(cell) && !isNumber(cell) ? `'${cell}` : cell;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** An integer beyond what a number holds comes as its digits. */
const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);
