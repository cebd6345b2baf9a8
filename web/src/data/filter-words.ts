import type { FilterKind } from '../address/address.ts';

/** What a filter is called where it is chosen. */
export const FILTER_LABELS: Readonly<Record<FilterKind, string>> = {
  find: 'Text',
  cidr: 'Network',
  match: 'Pattern',
  except: 'Not pattern',
};
