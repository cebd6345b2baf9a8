/** A value of a table; null is an empty cell. */
export type Cell = string | number | null;

/**
 * Formats rows as in RFC 4180: lines end with CRLF, and a text is quoted wherever a parser might
 * end its cell or its row early, or trim it.
 */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');

/**
 * Matches texts that spreadsheets take for formulas, which could run anything; some skip invisible
 * characters first (OWASP, CSV injection). A leading apostrophe makes spreadsheets read them as
 * text. Texts that have apostrophes there already are matched, too, so that no two texts are
 * written alike.
 */
const FORMULA = /^'*(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

/** Besides CR and LF, some parsers end a row at other characters. */
const QUOTED = /[",\p{Cc}\u2028\u2029]|^\s|\s$/u;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = FORMULA.test(cell) && !isNumber(cell) ? `'${cell}` : cell;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** An integer too large for a number arrives as its digits. */
const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);
