import { DamagedSegment } from '../damaged-segment.ts';
import type { Directory, SectionLocation } from './directory.ts';
import { openPage } from './page.ts';

/** Returns the bytes of a section from fetched pages. */
export type Sections = (location: SectionLocation) => Uint8Array;

/**
 * Returns the sections of the pages that `pageOf` returns by number. Verifies the digest of each
 * page once.
 */
export function createSections(
  { nonce }: Directory,
  pageOf: (number: number) => Uint8Array,
): Sections {
  const opened = new Map<number, Uint8Array>();
  return ({ page, from, to }) => {
    const known = opened.get(page);
    const sections = known ?? openPage(pageOf(page), { nonce, number: page });
    if (!known) opened.set(page, sections);
    if (to > sections.length) throw new DamagedSegment(`page ${page} is shorter than its sections`);
    return sections.subarray(from, to);
  };
}
