/** A value of a table; null is an empty cell. */
export type Cell = string | number | bigint | null;

/**
 * Texts to quote in addition to those with commas and quotation marks, which the writer handles. Of
 * line breaks the writer checks for CRLF only, but many parsers also end a row at CR, LF and
 * Unicode's other line breaks, or trim cells.
 */
export const QUOTED_IN_CSV = /[\p{Cc}\u2028\u2029]|^\s|\s$/u;

/**
 * Keeps a spreadsheet from reading a text as a formula, by an apostrophe in front: labels and keys
 * come from DNS and the like. Some spreadsheets skip invisible characters before a formula (OWASP,
 * CSV injection). A text with apostrophes before a formula gets another one, so that no two texts
 * are written alike. Numbers stay as they are.
 */
export const withoutFormula = (cell: Cell): Cell =>
  typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell;

const FORMULA = /^'*(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;
