/** A value of a table; null is an empty cell. */
export type Cell = string | number | null;

/** RFC 4180: lines end with CRLF, and what needs it is quoted. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');

/** Spreadsheets take texts that begin so for formulas, which may do anything. */
const FORMULA = /^[=+\-@\t\r]/;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = FORMULA.test(cell) && !isNumber(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** An integer beyond what a number holds comes as its digits. */
const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);
