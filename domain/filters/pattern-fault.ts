import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { Sliced } from '../sliced.ts';

/** What is wrong with a pattern, and where: an index into its text, counted from 0. */
export type PatternFault = { readonly reason: string; readonly position: number };

/**
 * Locates the error from compiling `pattern`. The parser reports what is wrong and often the faulty
 * text, but never its position; the same text may also occur elsewhere, where it is valid.
 */
export function* patternFault(pattern: string, error: RE2JSSyntaxException): Sliced<PatternFault> {
  const reason = error.error;
  switch (reason) {
    case 'missing closing )':
    case 'unexpected )':
      return { reason, position: unpairedParenthesis(pattern) };
    case 'trailing backslash at end of expression':
      return { reason, position: pattern.length - 1 };
    default:
      return { reason, position: yield* firstFaultyPart(pattern, error) };
  }
}

/** Quoted text, escapes and character classes, all with literal parentheses; and parentheses. */
const TOKENS = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|[()]/gs;

/** Returns the position of the first `)` that closes nothing, or else of the first unclosed `(`. */
function unpairedParenthesis(pattern: string): number {
  const open: number[] = [];
  for (const { 0: token, index } of pattern.matchAll(TOKENS)) {
    if (token === '(') open.push(index);
    if (token === ')' && open.pop() === undefined) return index;
  }
  return open[0] ?? 0;
}

/**
 * Finds the position of the fault among the candidates, by binary search. The parser stops at the
 * first fault. So if the pattern is cut after a candidate before the fault, it gives no such error;
 * if it is cut after the fault or a later candidate, it does.
 */
function* firstFaultyPart(pattern: string, error: RE2JSSyntaxException): Sliced<number> {
  const { starts, length } = suspects(pattern, error);
  let right = 0;
  let wrong = starts.length - 1;
  while (right < wrong) {
    yield;
    const middle = Math.floor((right + wrong) / 2);
    const end = (starts[middle] ?? 0) + length;
    if (isSameFault(pattern.slice(0, end), error)) wrong = middle;
    else right = middle + 1;
  }
  return starts[wrong] ?? 0;
}

/** Returns the positions of the text that the error names; all if it names none, as for size. */
function suspects(
  pattern: string,
  { error, input }: RE2JSSyntaxException,
): { starts: number[]; length: number } {
  if (input === null) return { starts: [...Array(pattern.length).keys()], length: 1 };
  // The parser reports a repeated capture by its bare name, which may occur anywhere.
  const part = error === 'duplicate capture group name' ? `<${input}>` : input;
  const starts: number[] = [];
  for (let at = pattern.indexOf(part); at !== -1; at = pattern.indexOf(part, at + 1)) {
    starts.push(at);
  }
  return { starts, length: part.length };
}

function isSameFault(cutPattern: string, error: RE2JSSyntaxException): boolean {
  const other = parseError(cutPattern);
  return other?.error === error.error && other.input === error.input;
}

/**
 * Returns the error from parsing `pattern`, which is `missing closing )` for a valid pattern: an
 * open parenthesis on either side of it keeps RE2 from compiling, which takes far longer. (Returns
 * null only if the pattern closes the first and hides the second, as `a)\\Q` does.)
 */
export function parseError(pattern: string): RE2JSSyntaxException | null {
  try {
    RE2JS.compile(`(?:${pattern}(`);
    return null;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return error;
    throw error;
  }
}
