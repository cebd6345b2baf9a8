import { malformed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { isStorable } from './storable-text.ts';

/** A text as given; undefined leaves the stored text unchanged. */
type GivenText = string | null | undefined;

export type GivenAttribute = { readonly name: string; readonly value: string };

/** The texts that a user sets for a key. */
export type GivenTexts = {
  readonly label?: GivenText;
  readonly description?: GivenText;
  readonly attributes?: readonly GivenAttribute[] | null | undefined;
};

/** undefined: unchanged; null: removed. */
export type EditedTexts = {
  readonly label: string | null | undefined;
  readonly description: string | null | undefined;
  readonly attributes: Readonly<Record<string, string>> | null | undefined;
};

/** Parses the given texts; `where` is the prefix of names in errors, as in `keys[3]`. */
export const parseEditedTexts = (where: string, given: GivenTexts): EditedTexts => ({
  label: parseText(`${where}.label`, given.label, LIMITS.labelCharacters),
  description: parseText(`${where}.description`, given.description, LIMITS.descriptionCharacters),
  attributes: parseAttributes(`${where}.attributes`, given.attributes),
});

/** An empty text clears the stored text, as null does. */
function parseText(name: string, given: GivenText, most: number): string | null | undefined {
  if (given === undefined || given === null) return given;
  if (isStorable(given) && characters(given) <= most) return given === '' ? null : given;
  throw malformed(name, textOf(most), given);
}

const textOf = (most: number): string =>
  `a text of at most ${most} characters, without NUL and halves of surrogate pairs`;

const characters = (text: string): number => [...text].length;

/** The given attributes replace the stored ones. An attribute without a value is left out. */
function parseAttributes(name: string, given: GivenTexts['attributes']): EditedTexts['attributes'] {
  if (given === undefined || given === null) return given;
  if (given.length > LIMITS.keyAttributes) {
    throw malformed(name, `a list of at most ${LIMITS.keyAttributes} attributes`, given.length);
  }
  const values = new Map<string, string>();
  for (const [i, attribute] of given.entries()) {
    const where = `${name}[${i}]`;
    const key = parseText(`${where}.name`, attribute.name, LIMITS.attributeNameCharacters);
    if (!key) throw malformed(`${where}.name`, 'a text that is not empty', attribute.name);
    if (values.has(key)) throw malformed(`${where}.name`, 'one that is not given twice', key);
    const value = parseText(`${where}.value`, attribute.value, LIMITS.descriptionCharacters);
    values.set(key, value ?? '');
  }
  const kept = [...values].filter(([, value]) => value !== '');
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
