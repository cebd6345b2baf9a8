import { compareKeys } from './compare-keys.ts';
import { compareExact, type Exact } from './exact.ts';

type Ranked = { readonly value: Exact; readonly key: string };

/** Decision 24: largest exact value first, equal values by key in byte order. */
export const compareRanked = (a: Ranked, b: Ranked): number =>
  compareExact(b.value, a.value) || compareKeys(a.key, b.key);
