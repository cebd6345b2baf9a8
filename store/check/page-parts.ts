import type { Directory } from '../../segments/pages/directory.ts';
import { pagesOfSections, type SectionLocation } from '../../segments/pages/sections.ts';
import { sectionsOfHeads, sectionsOfSeries } from '../read/pages-of-range.ts';

/** Returns what each page holds, in words, by page number. */
export function partsOfPages(
  directory: Pick<Directory, 'ranges' | 'heads' | 'headSeries'>,
): ReadonlyMap<number, ReadonlySet<string>> {
  const parts = new Map<number, Set<string>>();
  const add = (part: string, sections: readonly (SectionLocation | null)[]) => {
    for (const page of pagesOfSections(sections)) {
      const known = parts.get(page);
      if (known) known.add(part);
      else parts.set(page, new Set([part]));
    }
  };
  for (const { keys, span, tiles } of directory.ranges) {
    add('keys', keys);
    add('sums', span ?? []);
    for (const tile of tiles) {
      add('keys of tiles', [tile.keys]);
      add('times', [tile.times]);
      add('totals', tile.totals);
      add('values', tile.values);
    }
  }
  add('heads', sectionsOfHeads(directory));
  add('head series', sectionsOfSeries(directory));
  return parts;
}
