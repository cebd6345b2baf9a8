import fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

const characterOf = (place: number): string =>
  String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES);

/** Also lets fast-check try texts like `__proto__`, as it does with characters of its own. */
function placeOf(character: unknown): number {
  const [only = '', ...more] = typeof character === 'string' ? character : '';
  const code = only.codePointAt(0) ?? FIRST_SURROGATE;
  const isSurrogate = code >= FIRST_SURROGATE && code < FIRST_SURROGATE + SURROGATES;
  if (more.length > 0 || isSurrogate) throw new Error('it is not one character');
  return code < FIRST_SURROGATE ? code : code - SURROGATES;
}

const character = fc.nat({ max: 0x10_ffff - SURROGATES }).map(characterOf, placeOf);

/**
 * A text of any characters, like one of fast-check's unit `binary`, which lists the million of them
 * each time it is used.
 */
export const anyText = (size: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...size, unit: character });
