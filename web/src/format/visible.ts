/** Characters that are not drawn: spaces, controls, marks without a letter, and fillers. */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Mn}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Returns the first of two texts of which something can be seen, or else the code points. */
export function visibleText(text: string, otherwise: string): string {
  if (!INVISIBLE.test(text)) return text;
  return INVISIBLE.test(otherwise) ? codePoints(otherwise) : otherwise;
}

const codePoints = (text: string): string =>
  Array.from(text, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }).join(' ');
