import type { KeyFilter } from '../../domain/filters/key-filter.ts';
import { builder } from '../builder.ts';

export const KeyFilterInput = builder.inputType('KeyFilterInput', {
  description:
    'Which keys to list. All given conditions must hold; an empty list counts as left out.',
  fields: (t) => ({
    match: t.string({ description: 'RE2 pattern searched in the raw key.' }),
    exclude: t.string({ description: 'RE2 pattern; keys in which it is found are left out.' }),
    keys: t.stringList({ description: 'Only these keys, raw or readable.' }),
    excludeKeys: t.stringList({ description: 'All but these keys, raw or readable.' }),
    cidr: t.stringList({
      description:
        'For address groups: networks in CIDR form. With `prefix` the networks that lie wholly inside are listed.',
    }),
    excludeCidr: t.stringList({
      description:
        'For address groups: networks whose addresses are left out; with `prefix`, the networks that lie wholly inside.',
    }),
    search: t.string({ description: 'Case-insensitive text in the label or the readable form.' }),
  }),
});

type GivenFilter = typeof KeyFilterInput.$inferInput;

/** Drops null and undefined values: they mean the same as omitted ones. */
export const decodeFilter = (given: GivenFilter | null | undefined): KeyFilter =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value != null));
