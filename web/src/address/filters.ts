/**
 * What a filter wants of a key: to be one of some keys, to lie within networks or outside of them,
 * a text in the label or readable key, or an RE2 pattern in the raw key, found or not.
 */
export const FILTER_KINDS = ['only', 'cidr', 'outside', 'find', 'match', 'except'] as const;

export type FilterKind = (typeof FILTER_KINDS)[number];

/** One value of one kind: all kinds must hold, and of the kinds in `SEVERAL` any value. */
export type Filter = { readonly kind: FilterKind; readonly text: string };

/** The kinds that may occur more than once. */
export const SEVERAL: ReadonlySet<FilterKind> = new Set(['only', 'cidr', 'outside']);

const isKind = (name: string): name is FilterKind => FILTER_KINDS.some((kind) => kind === name);

/** Parses the filters of an address; networks may be joined by commas. Keeps their order. */
export function parseFilters(given: URLSearchParams): readonly Filter[] {
  const filters: Filter[] = [];
  for (const [kind, value] of given) {
    if (!isKind(kind)) continue;
    const texts = kind === 'cidr' || kind === 'outside' ? value.split(/[\s,]+/) : [value];
    filters.push(...texts.filter((text) => text !== '').map((text) => ({ kind, text })));
  }
  return usable(filters);
}

/** Drops what is there already, and a second value where there can be only one. */
export const usable = (filters: readonly Filter[]): readonly Filter[] =>
  filters.filter(
    ({ kind, text }, index) =>
      !filters
        .slice(0, index)
        .some((each) => each.kind === kind && (each.text === text || !SEVERAL.has(kind))),
  );

/** Returns the values of one kind. */
export const textsOf = (filters: readonly Filter[], kind: FilterKind): readonly string[] =>
  filters.filter((filter) => filter.kind === kind).map(({ text }) => text);
