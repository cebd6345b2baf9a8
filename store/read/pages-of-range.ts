import type { Directory, LocatedRange, LocatedTile } from '../../segments/pages/directory.ts';
import { spanOf } from '../../segments/pages/read-range.ts';
import { pagesOfSections, type SectionLocation } from '../../segments/pages/sections.ts';

/** The pages that readRange (segments/pages/read-range.ts) needs: keys and tiles. */
export const pagesToMerge = ({ keys, tiles }: LocatedRange): Set<number> =>
  pagesOfSections([...keys, ...tiles.flatMap(sectionsOfTile)]);

/**
 * The pages that readSource (segments/pages/read-source.ts) needs: keys and the sums of each key.
 * Errors: DamagedSegment.
 */
export function pagesToRollUp(range: LocatedRange): Set<number> {
  const { keys, totals } = spanOf(range);
  return pagesOfSections([...range.keys, keys, ...totals]);
}

/** The pages that hold the keys of a range. */
export const pagesOfKeys = ({ keys }: LocatedRange): Set<number> => pagesOfSections(keys);

/** All pages that a range has a section on. Its neighbours may have sections there, too. */
export const pagesOfRange = ({ keys, span, tiles }: LocatedRange): Set<number> =>
  pagesOfSections([...keys, ...(span ?? []), ...tiles.flatMap(sectionsOfTile)]);

/** The pages with the heads and the head series of a segment. */
export const pagesOfHeads = (directory: Pick<Directory, 'heads' | 'headSeries'>): Set<number> =>
  pagesOfSections([...sectionsOfHeads(directory), ...sectionsOfSeries(directory)]);

export const sectionsOfTile = ({
  keys,
  times,
  totals,
  values,
}: LocatedTile): (SectionLocation | null)[] => [keys, times, ...totals, ...values];

export const sectionsOfHeads = ({ heads }: Pick<Directory, 'heads'>): (SectionLocation | null)[] =>
  heads === null ? [] : [...heads.span, ...heads.tiles.flatMap((tile) => tile.heads)];

export const sectionsOfSeries = ({
  headSeries,
}: Pick<Directory, 'headSeries'>): (SectionLocation | null)[] =>
  headSeries === null ? [] : [headSeries.keys, headSeries.entries, ...headSeries.columns];
