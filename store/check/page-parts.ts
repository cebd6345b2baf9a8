import { WHOLE_SPAN } from '../../segments/blocks/levels.ts';
import type { Directory, SectionLocation } from '../../segments/pages/directory.ts';
import type { SegmentShape } from '../../segments/shape.ts';

/** Returns what each page holds, in words, by page number. */
export function partsOfPages(
  { ranges }: Pick<Directory, 'ranges'>,
  { topperBucketSeconds }: SegmentShape,
): ReadonlyMap<number, ReadonlySet<string>> {
  const parts = new Map<number, Set<string>>();
  const add = (part: string, sections: readonly (SectionLocation | null)[]) => {
    for (const section of sections) {
      if (section === null) continue;
      const known = parts.get(section.page);
      if (known) known.add(part);
      else parts.set(section.page, new Set([part]));
    }
  };
  for (const { keys, levels, series } of ranges) {
    add('keys', keys);
    for (const { stepSeconds, groups } of levels) {
      const part =
        stepSeconds === WHOLE_SPAN ? 'sums of the whole span' : `blocks of ${stepSeconds} s`;
      for (const { ordinals, columns, heads } of groups) {
        add(part, [ordinals, ...columns]);
        add(`heads of ${part}`, heads);
      }
    }
    for (const { entries, columns } of series) {
      add(`series of ${topperBucketSeconds} s`, [entries, ...columns]);
    }
  }
  return parts;
}
