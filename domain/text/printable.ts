/**
 * Returns `text` with its control characters escaped. Labels may come from strangers, for example
 * from DNS answers: a line break would forge a line, and terminals obey escape sequences.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Control}\p{Bidi_Control}\u2028\u2029]/gu, escaped);

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
