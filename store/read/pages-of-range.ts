import type { PlacedRange, SectionPlace } from '../../segments/pages/directory.ts';

/** The pages that readRange (segments/pages/read-range.ts) needs: keys and the finest blocks. */
export const pagesToMerge = (range: PlacedRange): Set<number> =>
  pagesOfLevel(range, range.levels.at(-1));

/** The pages that readSource (segments/roll-up/read-source.ts) needs: keys and the whole span. */
export const pagesToRollUp = (range: PlacedRange): Set<number> =>
  pagesOfLevel(range, range.levels[0]);

function pagesOfLevel(
  { keys }: PlacedRange,
  level: PlacedRange['levels'][number] | undefined,
): Set<number> {
  const groups = level?.groups ?? [];
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
