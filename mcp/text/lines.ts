import { printable } from '../../domain/text/printable.ts';

/**
 * Joins the lines of a text. Names in them may come from strangers, so whatever is not printable is
 * escaped: a line break in a name would forge a line of the answer.
 */
export const linesText = (lines: readonly string[]): string => lines.map(printable).join('\n');

/**
 * Quotes a text that others wrote, so that it is visibly data. A backslash stays as it is: it parts
 * the labels of a pair.
 */
export const quoted = (text: string): string =>
  `"${printable(text).replaceAll('"', String.raw`\u0022`)}"`;
