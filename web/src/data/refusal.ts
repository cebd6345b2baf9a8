import type { Address } from '../address/address.ts';
import { FILTER_LABELS } from './filter-words.ts';

/**
 * The part of an address that the server refused, so that it can be corrected where it is chosen.
 */
export type Refusal =
  | { readonly of: 'meter' | 'probe' | 'prefix' }
  | { readonly of: 'step'; readonly why: string }
  | {
      readonly of: 'filter';
      /** What the filter must be and what was given, by the name of its field. */
      readonly why: string;
    };

/** The argument of each kind of filter in the graph, and so in its errors. */
const ARGUMENTS = { find: 'search', cidr: 'cidr', match: 'match', except: 'exclude' } as const;

/** Parses messages of docs/reference/errors.md; null if the error is about something else. */
export function explainRefusal(
  message: string,
  { filter }: Pick<Address, 'filter'>,
): Refusal | null {
  if (message.startsWith('Invalid meter - ')) return { of: 'meter' };
  if (message.startsWith('Invalid probe - ')) return { of: 'probe' };
  if (message.startsWith('prefix must be ')) return { of: 'prefix' };
  if (message.startsWith('every must be '))
    return { of: 'step', why: message.slice('every '.length) };
  const start = filter && `${ARGUMENTS[filter.kind]} must be `;
  if (!start || !message.startsWith(start)) return null;
  return {
    of: 'filter',
    why: `${FILTER_LABELS[filter.kind]} must be ${message.slice(start.length)}`,
  };
}
