import type { Address } from '../address/address.ts';
import { FILTER_KINDS, type Filter, textsOf } from '../address/filters.ts';
import { FILTER_LABELS } from './filter-words.ts';

/**
 * The part of an address that the server refused, so that it can be corrected where it is chosen.
 */
export type Refusal =
  | { readonly of: 'meter' | 'probe' | 'prefix' }
  | { readonly of: 'step'; readonly why: string }
  | {
      readonly of: 'filter';
      readonly kind: Filter['kind'];
      readonly text: string;
      /** What the filter must be and what was given, by the name of its field. */
      readonly why: string;
    };

/** The argument of each kind of filter in the graph, and so in its errors. */
const ARGUMENTS = {
  only: 'keys',
  cidr: 'cidr',
  outside: 'excludeCidr',
  find: 'search',
  match: 'match',
  except: 'exclude',
} as const;

/** Parses messages of docs/reference/errors.md; null if the error is about something else. */
export function explainRefusal(
  message: string,
  { filters }: Pick<Address, 'filters'>,
): Refusal | null {
  if (message.startsWith('Invalid meter - ')) return { of: 'meter' };
  if (message.startsWith('Invalid probe - ')) return { of: 'probe' };
  if (message.startsWith('prefix must be ')) return { of: 'prefix' };
  if (message.startsWith('every must be '))
    return { of: 'step', why: message.slice('every '.length) };
  const kind = FILTER_KINDS.find((each) => message.startsWith(`${ARGUMENTS[each]} must be `));
  const text = kind && filters.find((each) => each.kind === kind)?.text;
  if (!kind || text === undefined) return null;
  const must = message.slice(ARGUMENTS[kind].length);
  return {
    of: 'filter',
    kind,
    // Of a list, the message has the value that is wrong.
    text: textsOf(filters, kind).find((each) => must.endsWith(`got "${each}"`)) ?? text,
    why: `${FILTER_LABELS[kind]}${must}`,
  };
}
