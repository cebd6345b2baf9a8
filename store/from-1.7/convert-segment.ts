import type { Connection } from '../../db/connection/connection.ts';
import { type KeyCodec, keyCodecOf } from '../../segments/keys/key-codec.ts';
import { mergeRanges } from '../../segments/merge/merge-ranges.ts';
import type { StoredPage } from '../../segments/pages/page-cutter.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { type WrittenSegment, writeSegment } from '../write/write-segment.ts';
import { type Format1Directory, readFormat1Directory } from './format-1/directory.ts';
import { type PageOf, pagesOf, readRange } from './format-1/read-range.ts';

/** Fetches pages by number. Later requests never ask for pages before those of earlier ones. */
export type PageFetcher = (numbers: ReadonlySet<number>) => Promise<PageOf>;

/** A segment of format 1, and what the segment that replaces it belongs to. */
export type Format1Segment = {
  readonly groupId: number;
  readonly probeId: number;
  readonly sliceId: number;
  readonly level: number;
  /** Whole epoch seconds. */
  readonly importedAt: number;
  readonly directory: Uint8Array;
};

type Conversion = {
  readonly shape: SegmentShape;
  readonly fetch: PageFetcher;
  /** Called with the rows of each range that was read. */
  readonly onRows?: ((rows: number) => void) | undefined;
};

/**
 * Writes the readings of a segment of format 1 as a segment of the same group, probe and level, in
 * the caller's transaction, which must also publish it. Memory holds one range, and its pages.
 * Errors: MissingPartition, DamagedSegment.
 */
export async function convertSegment(
  connection: Connection,
  { groupId, probeId, sliceId, level, importedAt, directory: bytes }: Format1Segment,
  { shape, ...reading }: Conversion,
): Promise<WrittenSegment> {
  const directory = readFormat1Directory(bytes);
  const { slots, span } = directory;
  if (slots > shape.aggregates.length) {
    throw new Error(`a segment of group ${groupId} has ${slots} meters, the group has fewer`);
  }
  const codec = keyCodecOf(shape);
  const ranges = rangesOf(directory, { ...reading, codec });
  const scope = { groupId, probeId, sliceId, level, importedAt };
  return writeSegment(connection, scope, {
    shape,
    codec,
    span,
    ranges: mergeRanges([ranges], shape),
  });
}

async function* rangesOf(
  directory: Format1Directory,
  { codec, fetch, onRows }: Omit<Conversion, 'shape'> & { readonly codec: KeyCodec },
): AsyncGenerator<KeyRange> {
  for (const range of directory.ranges) {
    const pageOf = await fetch(pagesOf(range));
    yield readRange(directory, range, { pageOf, codec });
    onRows?.(range.rowCount);
  }
}

/** Fetches pages from a stream of all pages of a segment, such as that of an archive. */
export function fetchFromStream(pages: AsyncIterator<StoredPage>): PageFetcher {
  const held = new Map<number, Uint8Array>();
  return async (numbers) => {
    const first = Math.min(...numbers);
    for (const number of held.keys()) if (number < first) held.delete(number);
    for (const last = Math.max(...numbers); !held.has(last); ) {
      const { value, done } = await pages.next();
      if (done) break;
      if (value.number >= first) held.set(value.number, value.bytes);
    }
    return pageFrom(held);
  };
}

/** Returns the pages of a map by number. */
export const pageFrom =
  (pages: ReadonlyMap<number, Uint8Array>): PageOf =>
  (number) => {
    const bytes = pages.get(number);
    if (!bytes) throw new Error(`page ${number} of a segment of format 1 is missing`);
    return bytes;
  };
