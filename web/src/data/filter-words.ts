import type { FilterKind } from '../address/address.ts';

/** The names of the filters in the control. */
export const FILTER_LABELS: Readonly<Record<FilterKind, string>> = {
  find: 'Text',
  cidr: 'Network',
  match: 'Pattern',
  except: 'Not pattern',
};
