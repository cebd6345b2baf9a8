/** Text that is written from right to left. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Characters that change the direction of the text after them. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;

const FIRST_STRONG_ISOLATE = '\u2068';
const OPENING = /[\u2066-\u2068]/;
const POP = '\u2069';

/**
 * Returns a text that does not change the order of the text around it, for where no element can
 * isolate it: within other texts, attributes and pictures.
 */
export const isolated = (text: string): string =>
  RIGHT_TO_LEFT.test(text) || TURNS.test(text)
    ? `${FIRST_STRONG_ISOLATE}${closed(text)}${POP}`
    : text;

/** Closes the isolates that a text opens, and leaves out what would close those around it. */
function closed(text: string): string {
  let own = '';
  let depth = 0;
  for (const char of text) {
    if (char === POP && depth === 0) continue;
    if (char === POP) depth -= 1;
    else if (OPENING.test(char)) depth += 1;
    own += char;
  }
  return own + POP.repeat(depth);
}
