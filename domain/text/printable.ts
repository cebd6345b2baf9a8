/**
 * Returns `text` with its control characters escaped. Labels may come from strangers, for example
 * from DNS answers: a line break would forge a line, and terminals obey escape sequences. So are
 * the invisible tag characters, in which instructions to a model could hide.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Control}\p{Bidi_Control}\u2028\u2029\u{E0000}-\u{E007F}]/gu, escaped);

const escaped = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
};
