import type { PlacedRange, SectionPlace } from '../../segments/pages/directory.ts';

/** The pages that readRange (segments/pages/read-range.ts) needs: keys and the finest blocks. */
export function pagesToMerge({ keys, levels }: PlacedRange): Set<number> {
  const groups = levels.at(-1)?.groups ?? [];
  return pagesOf([...keys, ...groups.flatMap(({ ordinals, columns }) => [ordinals, ...columns])]);
}

/** The pages that readSource (segments/roll-up/read-source.ts) needs: keys and the whole span. */
export function pagesToRollUp({ keys, levels }: PlacedRange): Set<number> {
  const groups = levels[0]?.groups ?? [];
  return pagesOf([...keys, ...groups.flatMap(({ ordinals, columns }) => [ordinals, ...columns])]);
}

/** The pages that hold the keys of a range. */
export const pagesOfKeys = ({ keys }: PlacedRange): Set<number> => pagesOf(keys);

/** All pages that a range has a section on. */
export const pagesOfRange = ({ keys, levels, series }: PlacedRange): Set<number> =>
  pagesOf([
    ...keys,
    ...levels.flatMap(({ groups }) =>
      groups.flatMap(({ ordinals, columns, heads }) => [ordinals, ...columns, ...heads]),
    ),
    ...series.flatMap(({ entries, columns }) => [entries, ...columns]),
  ]);

const pagesOf = (sections: readonly (SectionPlace | null)[]): Set<number> =>
  new Set(sections.flatMap((section) => (section === null ? [] : [section.page])));
