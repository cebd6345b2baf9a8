import { DamagedSegment } from '../damaged-segment.ts';
import { openPage, PAGE_BYTES } from './page.ts';

/** Where a section lies: from which byte to before which, of all sections of the segment. */
export type SectionLocation = { readonly from: number; readonly to: number };

/** Returns the bytes of a section from fetched pages. */
export type Sections = (location: SectionLocation) => Uint8Array;

/** Returns the numbers of the pages that hold some sections. */
export function pagesOfSections(sections: Iterable<SectionLocation | null>): Set<number> {
  const pages = new Set<number>();
  for (const section of sections) {
    if (section === null) continue;
    for (let page = pageOfByte(section.from); page <= pageOfByte(section.to - 1); page += 1) {
      pages.add(page);
    }
  }
  return pages;
}

const pageOfByte = (at: number): number => Math.floor(at / PAGE_BYTES);

/** Returns the number of pages of a segment whose sections have so many bytes. */
export const pageCountOf = (bytes: number): number => Math.ceil(bytes / PAGE_BYTES);

/**
 * Returns the sections of the pages that `pageOf` returns by number. Verifies the digest of each
 * page once. Errors: DamagedSegment.
 */
export function createSections(
  { nonce }: { readonly nonce: number },
  pageOf: (number: number) => Uint8Array,
): Sections {
  const opened = new Map<number, Uint8Array>();
  const open = (number: number): Uint8Array => {
    const piece = opened.get(number) ?? openPage(pageOf(number), { nonce, number });
    opened.set(number, piece);
    return piece;
  };
  return ({ from, to }) => {
    const first = pageOfByte(from);
    const last = pageOfByte(to - 1);
    const begin = from - first * PAGE_BYTES;
    if (first === last) return pieceOf(open(first), begin, begin + to - from);
    const section = new Uint8Array(to - from);
    let at = 0;
    for (let number = first; number <= last; number += 1) {
      const skipped = number === first ? begin : 0;
      const length = Math.min(PAGE_BYTES - skipped, section.length - at);
      section.set(pieceOf(open(number), skipped, skipped + length), at);
      at += length;
    }
    return section;
  };
}

function pieceOf(page: Uint8Array, from: number, to: number): Uint8Array {
  if (to > page.length) throw new DamagedSegment('a page is shorter than its sections');
  return page.subarray(from, to);
}
