import type { LocatedRange, SectionLocation } from '../../segments/pages/directory.ts';

/** The pages that readRange (segments/pages/read-range.ts) needs: keys and the finest blocks. */
export const pagesToMerge = (range: LocatedRange): Set<number> =>
  pagesOfLevel(range, range.levels.at(-1));

/** The pages that readSource (segments/roll-up/read-source.ts) needs: keys and the whole span. */
export const pagesToRollUp = (range: LocatedRange): Set<number> =>
  pagesOfLevel(range, range.levels[0]);

function pagesOfLevel(
  { keys }: LocatedRange,
  level: LocatedRange['levels'][number] | undefined,
): Set<number> {
  const groups = level?.groups ?? [];
  return pagesOf([...keys, ...groups.flatMap(({ ordinals, columns }) => [ordinals, ...columns])]);
}

/** The pages that hold the keys of a range. */
export const pagesOfKeys = ({ keys }: LocatedRange): Set<number> => pagesOf(keys);

/** All pages that a range has a section on. */
export const pagesOfRange = ({ keys, levels, series }: LocatedRange): Set<number> =>
  pagesOf([
    ...keys,
    ...levels.flatMap(({ groups }) =>
      groups.flatMap(({ ordinals, columns, heads }) => [ordinals, ...columns, ...heads]),
    ),
    ...series.flatMap(({ entries, columns }) => [entries, ...columns]),
  ]);

const pagesOf = (sections: readonly (SectionLocation | null)[]): Set<number> =>
  new Set(sections.flatMap((section) => (section === null ? [] : [section.page])));
