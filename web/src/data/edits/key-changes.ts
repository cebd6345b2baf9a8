import type { KeyUpdateInput } from '../../../generated/operations.ts';

export type Attribute = { readonly name: string; readonly value: string };

/** The texts of a key, as in the fields of its form. */
export type EditedTexts = {
  readonly label: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
};

export type KnownTexts = {
  readonly key: string;
  readonly label: string;
  readonly description: string | null;
  readonly attributes: readonly Attribute[] | null;
};

export const keyTexts = ({ label, description, attributes }: KnownTexts): EditedTexts => ({
  label,
  description: description ?? '',
  attributes: attributes ?? [],
});

/** A key whose form is open. */
export type OpenedKey = {
  readonly key: string;
  /** When the form was opened. */
  readonly texts: EditedTexts;
  /** Now: others may have changed the key meanwhile. */
  readonly newest: KnownTexts;
};

/**
 * Returns what a form changes; null if nothing. Only changes are sent: a default label, such as an
 * address or the name of a port, does not become one that a user set, and what another editor
 * changed meanwhile stays. Outer spaces do not count, not even those that an import stored.
 */
export function keyChanges(
  { key, texts: opened, newest }: OpenedKey,
  texts: EditedTexts,
): KeyUpdateInput | null {
  const before = trimmed(opened);
  const { label, description, attributes } = trimmed(texts);
  const isChanged = JSON.stringify(attributes) !== JSON.stringify(before.attributes);
  const current = trimmed(keyTexts(newest)).attributes;
  const changes: Omit<KeyUpdateInput, 'key'> = {
    ...(label !== before.label && { label: label || null }),
    ...(description !== before.description && { description: description || null }),
    ...(isChanged && { attributes: withChanges(current, before.attributes, attributes) }),
  };
  return Object.keys(changes).length > 0 ? { key, ...changes } : null;
}

const trimmed = ({ label, description, attributes }: EditedTexts): EditedTexts => ({
  label: label.trim(),
  description: description.trim(),
  attributes: attributes
    .map(({ name, value }) => ({ name: name.trim(), value: value.trim() }))
    .filter(({ name, value }) => name !== '' || value !== ''),
});

/**
 * Applies to the current attributes what was changed since the form was opened. If the other editor
 * changed the same attribute, the form wins. Names typed twice are left for the server to refuse.
 */
function withChanges(
  current: readonly Attribute[],
  opened: readonly Attribute[],
  typed: readonly Attribute[],
): readonly Attribute[] {
  const isTwice = new Set(typed.map(({ name }) => name)).size < typed.length;
  if (isTwice || JSON.stringify(current) === JSON.stringify(opened)) return typed;
  const isIn = (list: readonly Attribute[], { name, value }: Attribute) =>
    list.some((each) => each.name === name && each.value === value);
  const changed = typed.filter((each) => !isIn(opened, each));
  const gone = opened.filter((each) => !isIn(typed, each));
  const ours = new Set([...changed, ...gone].map(({ name }) => name));
  return [...current.filter(({ name }) => !ours.has(name)), ...changed];
}
