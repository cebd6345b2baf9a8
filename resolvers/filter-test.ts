import { parseCrossKey } from '../domain/cross-key.ts';
import { boundKeys } from '../domain/key-bounds.ts';
import type { FilterableKey, KeyFilter } from '../domain/key-filter.ts';
import type { CounterGroupView } from './counter-groups.ts';
import { filterable } from './keys.ts';
import type { KeyTest } from './loaders/passing-keys.ts';

/** Which keys pass; filter is it as text, so that two that are the same are known to be. */
export type KeyPassing = { readonly filter: string; readonly test: KeyTest };

/** A filter as something that is asked of keys: of their raw texts, unless it looks at labels. */
export function filterTest(
  group: CounterGroupView,
  filter: KeyFilter,
  passes: (key: FilterableKey) => boolean,
): KeyPassing {
  const test: KeyTest = filter.search
    ? { kind: 'row', passes: (row) => passes(filterable({ group, row })) }
    : {
        kind: 'text',
        passes: (key) => passes(ofText(group, key)),
        bounds: boundKeys(filter, group.kinds),
      };
  return { filter: JSON.stringify(filter), test };
}

const ofText = ({ crosskey, kinds }: CounterGroupView, key: string): FilterableKey => ({
  key,
  parts: crosskey ? (parseCrossKey(kinds, key)?.parts ?? []) : [key],
  readable: noLabels,
  label: noLabels,
});

function noLabels(): never {
  throw new Error('a filter that does not search was asked about labels');
}
