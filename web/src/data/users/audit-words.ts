import type { AuditQuery } from '../../../generated/operations.ts';
import { isolated } from '../../format/isolated.ts';
import type { Moments } from '../../format/moment.ts';
import type { ContextChoice } from '../choices.ts';

export type AuditRow = NonNullable<AuditQuery['audit']>[number];

/** The names of counter groups by GUID, those of a row's own context first. */
export function groupNames(
  { details }: AuditRow,
  contexts: readonly Pick<ContextChoice, 'name' | 'counterGroups'>[],
): ReadonlyMap<string, string> {
  const own = details.find(({ name }) => name === 'context')?.value;
  // Of two with the same GUID, the later one counts.
  const ownLast = [...contexts].sort((a, b) => Number(a.name === own) - Number(b.name === own));
  const groups = ownLast.flatMap(({ counterGroups }) => counterGroups);
  return new Map(groups.map(({ guid, name }) => [guid, name]));
}

const GUID = /\{[0-9A-F-]{36}\}/g;

/** Returns a text with the names of groups in place of their GUIDs, where they are known. */
export const withNames = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(GUID, (guid) => isolated(names.get(guid) ?? guid));

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Returns what else is known about a row of the audit: `context lab, role reader`. */
export const detailText = ({ details }: AuditRow, moments: Moments): string =>
  details
    .filter(({ value }) => value !== 'null')
    .map(({ name, value }) => MARKS[name] ?? `${wordsOf(name)} ${textOf(name, value, moments)}`)
    .join(', ');

/** What is only ever true. */
const MARKS: Readonly<Record<string, string>> = { isGroup: 'group', page: 'in the page' };

/** Returns a value as it is read; of `until`, it is in seconds. */
const textOf = (name: string, value: string, moments: Moments): string =>
  name === 'until' && /^\d+$/.test(value) ? moments.full(Number(value)) : valueText(value, moments);

/** Returns the words of a name in camel case: `only networks`. */
const wordsOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function valueText(value: string, moments: Moments): string {
  if (TIME.test(value)) return moments.full(Math.floor(Date.parse(value) / 1000));
  return listOf(value)?.join(' and ') ?? value;
}

/**
 * Returns the items of a list, which the server writes as JSON; null: it is something else. Counter
 * groups have a name beside their GUID.
 */
function listOf(value: string): readonly string[] | null {
  if (!value.startsWith('[')) return null;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.map(itemText) : null;
  } catch {
    // A text that only looks like JSON.
    return null;
  }
}

function itemText(item: unknown): string {
  if (typeof item === 'string') return item;
  const isNamed = typeof item === 'object' && item !== null && 'name' in item;
  return isNamed ? String(item.name) : JSON.stringify(item);
}
