import { RE2JS, RE2JSSyntaxException } from 're2js';

/** What is wrong with a pattern, and where: an index into its text, counted from 0. */
type PatternFault = { readonly reason: string; readonly position: number };

/**
 * Locates the error that compiling `pattern` gave. The parser tells what is wrong and often the
 * text that is, but never where; that text may also stand elsewhere, where it is right.
 */
export function patternFault(pattern: string, error: RE2JSSyntaxException): PatternFault {
  const reason = error.error;
  switch (reason) {
    case 'missing closing )':
    case 'unexpected )':
      return { reason, position: unpairedParenthesis(pattern) };
    case 'trailing backslash at end of expression':
      return { reason, position: pattern.length - 1 };
    default:
      return { reason, position: firstFaultyPart(pattern, error) };
  }
}

/** Quoted text, escapes and character classes, in which parentheses are literal; parentheses. */
const TOKENS = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|[()]/gs;

/** Where the first parenthesis stands that closes nothing, or else the first that is not closed. */
function unpairedParenthesis(pattern: string): number {
  const open: number[] = [];
  for (const { 0: token, index } of pattern.matchAll(TOKENS)) {
    if (token === '(') open.push(index);
    if (token === ')' && open.pop() === undefined) return index;
  }
  return open[0] ?? 0;
}

/**
 * The parser stops at the first fault. So of the places that could be it, those before it are right
 * when the pattern is cut after them, and all from it on give the error: a binary search finds it.
 */
function firstFaultyPart(pattern: string, error: RE2JSSyntaxException): number {
  const { starts, length } = suspects(pattern, error);
  let right = 0;
  let wrong = starts.length - 1;
  while (right < wrong) {
    const middle = Math.floor((right + wrong) / 2);
    const end = (starts[middle] ?? 0) + length;
    if (isSameFault(pattern.slice(0, end), error)) wrong = middle;
    else right = middle + 1;
  }
  return starts[wrong] ?? 0;
}

/** The places of the text that the error names; every place where it names none, as for size. */
function suspects(
  pattern: string,
  { error, input }: RE2JSSyntaxException,
): { starts: number[]; length: number } {
  if (input === null) return { starts: [...Array(pattern.length).keys()], length: 1 };
  // The parser names a repeated capture by its bare name, which may stand anywhere.
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
 * The error that parsing `pattern` gives, which is `missing closing )` for one that is right: a
 * parenthesis is left open on either side of it, so that nothing is compiled, which takes far
 * longer. (Null only where the pattern closes the first and hides the second, as `a)\\Q` does.)
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
