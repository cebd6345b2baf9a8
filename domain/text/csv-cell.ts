/** A value of a table; null is an empty cell. */
export type Cell = string | number | bigint | null;

/**
 * Texts that are quoted besides those with commas and quotation marks, which the writer knows: it
 * looks for CRLF alone, but many parsers also end a row at CR, LF and the other characters that
 * Unicode has for that, or trim a cell.
 */
export const QUOTED_IN_CSV = /[\p{Cc}\u2028\u2029]|^\s|\s$/u;

/**
 * Labels and keys come from DNS and the like, and no spreadsheet is to take one for a formula: an
 * apostrophe in front makes it a text. Some spreadsheets skip what cannot be seen (OWASP, CSV
 * injection). Numbers stay as they are.
 */
export const withoutFormula = (cell: Cell): Cell =>
  typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell;

const FORMULA = /^[\t\r\n]|^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u;
