import type { CopySource } from '../../db/session/copy-source.ts';
import type { BucketSpan } from '../../segments/blocks/levels.ts';
import { SegmentCheck } from '../../segments/check/check-segment.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import type { Directory, LocatedRange } from '../../segments/pages/directory.ts';
import { openPage } from '../../segments/pages/page.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { type FetchedPages, fetchPages } from '../read/fetch-pages.ts';
import type { StoredSegment } from '../read/manifest.ts';
import { MissingPages } from '../read/missing-pages.ts';
import { pagesOfRange } from '../read/pages-of-range.ts';
import { sectionsOf } from '../read/segment-ranges.ts';
import { partsOfPages } from './page-parts.ts';

/**
 * Yields what is wrong with a stored segment, in words; nothing if it is whole. Ranges are fetched
 * one at a time, and memory holds just that one. The source must have the snapshot of the segment's
 * manifest. Errors: those of the source.
 */
export async function* checkStoredSegment(
  source: CopySource,
  segment: StoredSegment,
  shape: SegmentShape,
): AsyncGenerator<string> {
  const directory = yield* openDirectory(segment, shape);
  if (!directory) return;
  yield* checkSpan(segment, directory.span);
  const check = new SegmentCheck({ shape, codec: keyCodecOf(shape), directory });
  const isReadable = yield* checkRanges(
    { source, segment, shape, directory },
    async function* (range, sections) {
      yield* check.range(range, sections);
    },
  );
  // Sums over all keys cannot be checked if some keys could not be read.
  if (!isReadable) return;
  const faults = yield* faultsOf(() => [...check.end()]);
  if (faults) yield* faults;
}

/** Returns the directory if it can be read, and compares it with the row of the manifest. */
export function* openDirectory(
  segment: StoredSegment,
  shape: SegmentShape,
): Generator<string, Directory | null> {
  const directory = yield* faultsOf(() => segment.directory());
  if (!directory) return null;
  yield* checkRow(segment, directory);
  if (directory.slots <= shape.folds.length) return directory;
  yield `it has ${directory.slots} meters, its group ${shape.folds.length}`;
  return null;
}

/** A segment whose directory can be read. shape: as it was written. */
type OpenedSegment = {
  readonly source: CopySource;
  readonly segment: StoredSegment;
  readonly shape: SegmentShape;
  readonly directory: Directory;
};

/**
 * Checks the pages of each range, and their contents with `checkRange`, which may throw
 * DamagedSegment. Returns whether everything could be read.
 */
export async function* checkRanges(
  { source, segment, shape, directory }: OpenedSegment,
  checkRange: (range: LocatedRange, sections: Sections) => AsyncGenerator<string>,
): AsyncGenerator<string, boolean> {
  const pages = new PageCheck(directory, shape);
  let isReadable = true;
  for (const range of directory.ranges) {
    const fetched = await tryFetch(source, segment, range);
    if (fetched instanceof MissingPages) {
      yield fetched.message;
      isReadable = false;
      continue;
    }
    const damaged = [...pages.faults(fetched.get(segment.segmentId) ?? new Map())];
    yield* damaged;
    if (pages.isDamaged) {
      isReadable = false;
      continue;
    }
    try {
      yield* checkRange(range, sectionsOf(segment, fetched));
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      yield error.message;
      isReadable = false;
    }
  }
  if (isReadable) yield* checkSize(segment, pages.sizeBytes);
  return isReadable;
}

/** Returns the result of `work`. Yields damage in words, and then returns null. */
function* faultsOf<Result>(work: () => Result): Generator<string, Result | null> {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DamagedSegment)) throw error;
    yield error.message;
    return null;
  }
}

async function tryFetch(
  source: CopySource,
  segment: StoredSegment,
  range: LocatedRange,
): Promise<FetchedPages | MissingPages> {
  try {
    return await fetchPages(source, [{ segment, pages: pagesOfRange(range) }]);
  } catch (error) {
    if (error instanceof MissingPages) return error;
    throw error;
  }
}

function* checkRow(segment: StoredSegment, directory: Directory): Generator<string> {
  const { ranges, pageCount } = directory;
  yield* compareRow({
    'number of keys': [segment.keyCount, sum(ranges.map(({ keyCount }) => keyCount))],
    'number of rows': [segment.rowCount, sum(ranges.map(({ rowCount }) => rowCount))],
    'number of pages': [segment.pageCount, pageCount],
  });
}

/** Checks that the row of the manifest has the right times. */
export const checkSpan = (segment: StoredSegment, { first, last }: BucketSpan): Generator<string> =>
  compareRow({
    'first bucket': [segment.firstBucket, first],
    'last bucket': [segment.lastBucket, last],
  });

/** Compares the values of the manifest's row with the right ones, by what they mean. */
function* compareRow(
  values: Readonly<Record<string, readonly [number, number]>>,
): Generator<string> {
  for (const [what, [row, stored]] of Object.entries(values)) {
    if (row !== stored) yield `the ${what} is ${stored}, the manifest says ${row}`;
  }
}

function* checkSize(
  { sizeBytes, directoryBytes }: StoredSegment,
  pageBytes: number,
): Generator<string> {
  const stored = pageBytes + directoryBytes;
  if (stored !== sizeBytes) yield `the size is ${stored}, the manifest says ${sizeBytes}`;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((so, each) => so + each, 0);

/** Checks the digest of each page once, although two ranges may share a page. */
class PageCheck {
  sizeBytes = 0;
  /** Whether one of the pages checked last is damaged. */
  isDamaged = false;
  readonly #nonce: number;
  readonly #parts: ReadonlyMap<number, ReadonlySet<string>>;
  /** Whether a page is damaged, by its number. */
  readonly #known = new Map<number, boolean>();

  constructor(directory: Directory, shape: SegmentShape) {
    this.#nonce = directory.nonce;
    this.#parts = partsOfPages(directory, shape);
  }

  *faults(pages: ReadonlyMap<number, Uint8Array>): Generator<string> {
    this.isDamaged = false;
    for (const [number, bytes] of pages) {
      const known = this.#known.get(number);
      const fault = known === undefined ? this.#faultOf(number, bytes) : null;
      this.isDamaged ||= known ?? fault !== null;
      if (known !== undefined) continue;
      this.sizeBytes += bytes.length;
      this.#known.set(number, fault !== null);
      if (fault !== null) yield fault;
    }
  }

  #faultOf(number: number, bytes: Uint8Array): string | null {
    try {
      openPage(bytes, { nonce: this.#nonce, number });
      return null;
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      return `${error.message} (${[...(this.#parts.get(number) ?? [])].join(', ')})`;
    }
  }
}
