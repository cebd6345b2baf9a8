import type { CopySource } from '../../db/session/copy-source.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import { readKeys, readRange } from '../../segments/pages/read-range.ts';
import { createSections, type Sections } from '../../segments/pages/sections.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { type FetchedPages, fetchPages } from './fetch-pages.ts';
import type { StoredSegment } from './manifest.ts';
import { pagesOfKeys, pagesToMerge } from './pages-of-range.ts';

/** What identifies a segment's pages, and its directory. */
type SegmentToRead = Pick<
  StoredSegment,
  'segmentId' | 'sliceId' | 'level' | 'importedAt' | 'directory'
>;

/** Returns the sections of a segment, from fetched pages. */
export const sectionsOf = (segment: SegmentToRead, fetched: FetchedPages): Sections =>
  createSections(segment.directory(), (page) => {
    const bytes = fetched.get(segment.segmentId)?.get(page);
    if (!bytes) throw new Error(`page ${page} of segment ${segment.segmentId} was not fetched`);
    return bytes;
  });

/**
 * Fetches in one statement all pages that `segmentRanges` needs of these segments: for small ones,
 * a statement each would take longer than all other work. Errors: MissingPages.
 */
export const fetchToMerge = (
  source: CopySource,
  segments: readonly SegmentToRead[],
): Promise<FetchedPages> =>
  fetchPages(
    source,
    segments.map((segment) => ({
      segment,
      pages: segment.directory().ranges.flatMap((range) => [...pagesToMerge(range)]),
    })),
  );

/** How a segment is read. known: pages of it that were fetched before. */
type RangesRead = {
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  readonly known?: FetchedPages | null;
};

/**
 * Yields everything that a segment holds, range by range, each fetched on demand in one statement
 * unless its pages are in `known`. Errors: MissingPages, DamagedSegment.
 */
export async function* segmentRanges(
  source: CopySource,
  segment: SegmentToRead,
  { shape, codec, known = null }: RangesRead,
): AsyncGenerator<KeyRange> {
  const directory = segment.directory();
  for (const range of directory.ranges) {
    const fetched = known ?? (await fetchPages(source, [{ segment, pages: pagesToMerge(range) }]));
    yield readRange({ directory, range, sections: sectionsOf(segment, fetched) }, codec, shape);
  }
}

/** Yields the keys of a segment, range by range, fetched in the same way. */
export async function* segmentKeys(
  source: CopySource,
  segment: SegmentToRead,
  codec: KeyCodec,
): AsyncGenerator<KeyList> {
  for (const range of segment.directory().ranges) {
    const fetched = await fetchPages(source, [{ segment, pages: pagesOfKeys(range) }]);
    yield readKeys(range, codec, sectionsOf(segment, fetched));
  }
}
