import type { KeyUpdateInput } from '../../../generated/operations.ts';

export type Attribute = { readonly name: string; readonly value: string };

/** The texts of a key, as in the fields of its form. */
export type KeyTexts = {
  readonly label: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
};

type Known = {
  readonly key: string;
  readonly label: string;
  readonly description: string | null;
  readonly attributes: readonly Attribute[] | null;
};

export const keyTexts = ({ label, description, attributes }: Known): KeyTexts => ({
  label,
  description: description ?? '',
  attributes: attributes ?? [],
});

/**
 * Returns what a form changes; null if nothing. Only changes are sent: a default label, such as an
 * address or the name of a port, does not become one that a user set. Outer spaces do not count,
 * also not those that an import stored.
 */
export function keyChanges(known: Known, texts: KeyTexts): KeyUpdateInput | null {
  const before = trimmed(keyTexts(known));
  const { label, description, attributes } = trimmed(texts);
  const changes: Omit<KeyUpdateInput, 'key'> = {
    ...(label !== before.label && { label: label || null }),
    ...(description !== before.description && { description: description || null }),
    ...(JSON.stringify(attributes) !== JSON.stringify(before.attributes) && { attributes }),
  };
  return Object.keys(changes).length > 0 ? { key: known.key, ...changes } : null;
}

const trimmed = ({ label, description, attributes }: KeyTexts): KeyTexts => ({
  label: label.trim(),
  description: description.trim(),
  attributes: attributes
    .map(({ name, value }) => ({ name: name.trim(), value: value.trim() }))
    .filter(({ name, value }) => name !== '' || value !== ''),
});
