import { isStorable } from '../domain/text/storable-text.ts';
import { ownCopy } from './bounded-cache.ts';
import { BadLine } from './lines/bad-line.ts';
import { isJsonObject, type JsonObject, jsonScalar } from './lines/json-line.ts';

/**
 * What people say about a key. undefined: nothing, so it stays as it is; null: the key has none.
 */
export type KeyMetadata = {
  readonly label: string | null | undefined;
  readonly description: string | null | undefined;
  readonly attributes: Readonly<Record<string, string>> | null | undefined;
};

/**
 * Reads the optional `label`, `description` and `attributes` of a samples line; null if it has
 * none.
 */
export function keyTextsOf(object: JsonObject): KeyMetadata | null {
  const label = textIn(object, 'label');
  const description = textIn(object, 'description');
  const attributes = attributesIn(object);
  const isSilent = label === undefined && description === undefined && attributes === undefined;
  return isSilent ? null : { label, description, attributes };
}

/** Merges texts. Later ones win over earlier ones, each field separately. */
export const mergeTexts = (earlier: KeyMetadata | undefined, later: KeyMetadata): KeyMetadata => ({
  label: later.label === undefined ? earlier?.label : later.label,
  description: later.description === undefined ? earlier?.description : later.description,
  attributes: later.attributes === undefined ? earlier?.attributes : later.attributes,
});

/** Reads a text; an empty one clears the field. */
function textIn(object: JsonObject, field: string): string | null | undefined {
  const value = object[field] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !isStorable(value)) {
    throw new BadLine(`${field} must be a valid Unicode text without NUL characters`);
  }
  return value === '' ? null : ownCopy(value);
}

function attributesIn(object: JsonObject): Record<string, string> | null | undefined {
  const value = object['attributes'] ?? undefined;
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new BadLine('attributes must be an object');
  const attributes = Object.entries(value)
    .filter(([, attribute]) => attribute !== null)
    .map(([name, attribute]): [string, string] => [ownCopy(name), attributeText(name, attribute)]);
  return attributes.length === 0 ? null : Object.fromEntries(attributes);
}

function attributeText(name: string, value: unknown): string {
  const text = jsonScalar(value);
  if (text === null || !isStorable(text) || !isStorable(name)) {
    throw new BadLine(
      'attributes must be texts, numbers or booleans without NUL characters, none of them nested',
    );
  }
  return ownCopy(text);
}
