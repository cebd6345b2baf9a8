import type { AuditQuery } from '../../../generated/operations.ts';
import type { Moments } from '../../format/moment.ts';

export type AuditRow = NonNullable<AuditQuery['audit']>[number];

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Returns what else is known about a row of the audit: `context lab, role reader`. */
export const detailText = ({ details }: AuditRow, moments: Moments): string =>
  details
    .filter(({ value }) => value !== 'null')
    .map(({ name, value }) =>
      name === 'isGroup' ? 'group' : `${wordsOf(name)} ${valueText(value, moments)}`,
    )
    .join(', ');

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
