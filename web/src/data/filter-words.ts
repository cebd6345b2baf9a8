import type { FilterKind } from '../address/filters.ts';

/** The names of the filters in the control. */
export const FILTER_LABELS: Readonly<Record<FilterKind, string>> = {
  only: 'Key',
  cidr: 'Network',
  outside: 'Not network',
  find: 'Text',
  match: 'Pattern',
  except: 'Not pattern',
};
