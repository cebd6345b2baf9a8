import { compareLosslessNumber, isLosslessNumber, stringify } from 'lossless-json';
import { isObject } from '../domain/is-object.ts';
import { parseGuid } from '../domain/text/guid.ts';
import { type AnswerKind, identityIn, isRequired } from './answer-fields.ts';

/** How two answers differ in one field. */
export type Difference = {
  /** A dotted path without indexes: `keys.label`. */
  readonly field: string;
  /** Identifies the list element, such as `C0.A8.01.0A`. Empty outside lists. */
  readonly at: string;
  /** As JSON; null if absent. */
  readonly legacy: string | null;
  readonly ours: string | null;
};

/** Two bodies as parsed by `lossless-json`. */
export type AnswerPair = { readonly legacy: unknown; readonly ours: unknown };

/** Returns all differences between two bodies of one kind. */
export function compareAnswers(kind: AnswerKind, pair: AnswerPair): Difference[] {
  const found: Difference[] = [];
  compare({ kind, found, field: '', at: '' }, pair);
  return found;
}

type Place = Pick<Difference, 'field' | 'at'> & {
  readonly kind: AnswerKind;
  readonly found: Difference[];
};

type JsonObject = Readonly<Record<string, unknown>>;

const isJsonObject = (value: unknown): value is JsonObject =>
  isObject(value) && !isLosslessNumber(value);

function compare(place: Place, { legacy, ours }: AnswerPair): void {
  if (Array.isArray(legacy) && Array.isArray(ours)) compareLists(place, legacy, ours);
  else if (isJsonObject(legacy) && isJsonObject(ours)) compareObjects(place, legacy, ours);
  else if (!isSame(place, legacy, ours)) note(place, { legacy, ours });
}

function note({ found, field, at }: Place, { legacy, ours }: AnswerPair): void {
  found.push({
    field: field === '' ? 'body' : field,
    at,
    legacy: stringify(legacy) ?? null,
    ours: stringify(ours) ?? null,
  });
}

function isSame({ kind, field }: Place, legacy: unknown, ours: unknown): boolean {
  if (isEmpty(legacy) && isEmpty(ours) && !isRequired(kind, field)) return true;
  if (isLosslessNumber(legacy) && isLosslessNumber(ours)) {
    return compareLosslessNumber(legacy, ours) === 0;
  }
  if (typeof legacy === 'string' && typeof ours === 'string') {
    return (parseGuid(legacy) ?? legacy) === (parseGuid(ours) ?? ours);
  }
  return legacy === ours;
}

/** Whether a value is one that an optional field may have when it does not apply. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);

function compareObjects(place: Place, legacy: JsonObject, ours: JsonObject): void {
  const names = new Set([...Object.keys(legacy), ...Object.keys(ours)]);
  for (const name of names) {
    const field = place.field === '' ? name : `${place.field}.${name}`;
    compare({ ...place, field }, { legacy: legacy[name], ours: ours[name] });
  }
}

/**
 * Compares lists. Elements are matched by their identifying field, so that a missing element is one
 * difference and not one for each element that follows. The order of the elements is compared too.
 * Elements without an identifier, or with a duplicate one, are matched by position.
 */
function compareLists(place: Place, legacy: readonly unknown[], ours: readonly unknown[]): void {
  const identity = identityIn(place.field);
  const legacyByName = identity === null ? null : byName(legacy, identity);
  const oursByName = identity === null ? null : byName(ours, identity);
  if (legacyByName && oursByName) compareNamed(place, legacyByName, oursByName);
  else compareByPosition(place, legacy, ours);
}

type NamedElements = ReadonlyMap<string, unknown>;

/** Returns the elements by name; null if an element has no name or two have the same one. */
function byName(list: readonly unknown[], identity: string): NamedElements | null {
  const named = new Map<string, unknown>();
  for (const element of list) {
    const name = isJsonObject(element) ? nameOf(element[identity]) : null;
    if (name === null || named.has(name)) return null;
    named.set(name, element);
  }
  return named;
}

function nameOf(value: unknown): string | null {
  if (isLosslessNumber(value)) return value.toString();
  return typeof value === 'string' ? (parseGuid(value) ?? value) : null;
}

function compareNamed(place: Place, legacy: NamedElements, ours: NamedElements): void {
  for (const name of new Set([...legacy.keys(), ...ours.keys()])) {
    compare(elementOf(place, name), { legacy: legacy.get(name), ours: ours.get(name) });
  }
  const legacyOrder = [...legacy.keys()].filter((name) => ours.has(name));
  const oursOrder = [...ours.keys()].filter((name) => legacy.has(name));
  if (legacyOrder.every((name, index) => name === oursOrder[index])) return;
  const field = `${place.field}.order`;
  note({ ...place, field }, { legacy: legacyOrder, ours: oursOrder });
}

function compareByPosition(
  place: Place,
  legacy: readonly unknown[],
  ours: readonly unknown[],
): void {
  for (let index = 0; index < Math.max(legacy.length, ours.length); index += 1) {
    const pair = { legacy: legacy[index], ours: ours[index] };
    compare(elementOf(place, `[${index}]`), pair);
  }
}

const elementOf = (place: Place, name: string): Place => ({
  ...place,
  at: place.at === '' ? name : `${place.at} ${name}`,
});
