import type { CopySource } from '../../db/session/copy-source.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import { mergeRanges, type RangeStream } from '../../segments/merge/merge-ranges.ts';
import { readSource } from '../../segments/pages/read-source.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import { rollUpShape } from '../../segments/roll-up-shape.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { fetchPages } from '../read/fetch-pages.ts';
import type { StoredSegment } from '../read/manifest.ts';
import { pagesToRollUp } from '../read/pages-of-range.ts';
import { sectionsOf } from '../read/segment-ranges.ts';

type SourcesRead = {
  readonly sources: readonly StoredSegment[];
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
};

/**
 * Yields the contents of a roll-up of these sources: their keys in order, and in bucket i the sums
 * of each key in source i. Memory holds one range of each source; of its readings only the sums are
 * read. Errors: MissingPages, DamagedSegment.
 */
export const sourceRanges = (
  source: CopySource,
  { sources, shape, codec }: SourcesRead,
): AsyncGenerator<KeyRange> =>
  mergeRanges(
    sources.map((segment, number): RangeStream => wholeRanges(source, segment, { codec, number })),
    rollUpShape(shape),
  );

type SourceNumber = { readonly codec: KeyCodec; readonly number: number };

async function* wholeRanges(
  source: CopySource,
  segment: StoredSegment,
  { codec, number }: SourceNumber,
): AsyncGenerator<KeyRange> {
  const directory = segment.directory();
  for (const range of directory.ranges) {
    const fetched = await fetchPages(source, [{ segment, pages: pagesToRollUp(range) }]);
    yield readSource({ range, sections: sectionsOf(segment, fetched) }, codec, number);
  }
}
