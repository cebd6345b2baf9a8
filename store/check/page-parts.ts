import type { Directory } from '../../segments/pages/directory.ts';
import { pagesOfSections, type SectionLocation } from '../../segments/pages/sections.ts';
import { sectionsOfHeads, sectionsOfSeries } from '../read/pages-of-range.ts';

/** Returns what a page holds, in words. */
export function partsOfPage(
  { ranges, heads, headSeries }: Pick<Directory, 'ranges' | 'heads' | 'headSeries'>,
  page: number,
): string[] {
  const tiles = ranges.flatMap((range) => range.tiles);
  const parts: Readonly<Record<string, readonly (SectionLocation | null)[]>> = {
    keys: ranges.flatMap(({ keys }) => keys),
    'sums of the span': ranges.flatMap(({ span }) => span ?? []),
    'keys of tiles': tiles.map(({ keys }) => keys),
    'times of tiles': tiles.map(({ times }) => times),
    'totals of tiles': tiles.flatMap(({ totals }) => totals),
    'values of tiles': tiles.flatMap(({ values }) => values),
    heads: sectionsOfHeads({ heads }),
    'head series': sectionsOfSeries({ headSeries }),
  };
  return Object.keys(parts).filter((part) => pagesOfSections(parts[part] ?? []).has(page));
}
