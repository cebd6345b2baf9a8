import { FILTER_KINDS, type Filter, type FilterKind } from '../address/filters.ts';
import { portOfPattern } from './typed-value.ts';

/** The names of the filters. */
export const FILTER_LABELS: Readonly<Record<FilterKind, string>> = {
  only: 'Key',
  cidr: 'Network',
  outside: 'Not network',
  find: 'Text',
  match: 'Pattern',
  except: 'Not pattern',
};

/** A filter in words, in two parts: what it is about, and the value. */
export type FilterWords = { readonly label: string; readonly value: string };

/** Returns how a filter was understood. `nameOf` returns the label of a raw key, if it is known. */
export function filterWords(
  { kind, text }: Filter,
  nameOf: (key: string) => string | null = () => null,
): FilterWords {
  const port = kind === 'match' || kind === 'except' ? portOfPattern(text) : null;
  if (port !== null) return { label: kind === 'match' ? 'Port' : 'Not port', value: port };
  if (kind === 'only') return { label: FILTER_LABELS.only, value: nameOf(text) ?? text };
  const isAddress = (kind === 'cidr' || kind === 'outside') && !text.includes('/');
  if (isAddress) return { label: kind === 'cidr' ? 'Address' : 'Not address', value: text };
  return { label: FILTER_LABELS[kind], value: text };
}

/** Returns what to type for the same filter, to edit it. */
export function typedForm({ kind, text }: Filter): string {
  switch (kind) {
    case 'only':
    case 'cidr':
    case 'find':
      return text;
    case 'outside':
      return `-${text}`;
    case 'match':
      return portOfPattern(text) ?? `/${text}/`;
    case 'except':
      return `-${portOfPattern(text) ?? `/${text}/`}`;
    default:
      return kind satisfies never;
  }
}

/** Returns the filters in the order in which they are shown: kind by kind. */
export const inOrder = (filters: readonly Filter[]): readonly Filter[] =>
  FILTER_KINDS.flatMap((kind) => filters.filter((filter) => filter.kind === kind));

/** Returns how a filter is combined with the one before it: any key, or network, is enough. */
export function jointOf(filter: Filter, before: Filter | null): 'or' | 'and' | null {
  if (!before) return null;
  return before.kind === filter.kind && filter.kind !== 'outside' ? 'or' : 'and';
}
