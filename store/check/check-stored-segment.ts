import type { CopySource } from '../../db/session/copy-source.ts';
import { SegmentCheck } from '../../segments/check/check-segment.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import type { Directory, LocatedRange } from '../../segments/pages/directory.ts';
import { openPage } from '../../segments/pages/page.ts';
import {
  pagesOfSections,
  type SectionLocation,
  type Sections,
} from '../../segments/pages/sections.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import type { BucketSpan } from '../../segments/span.ts';
import { type FetchedPages, fetchPages, type PageRequest } from '../read/fetch-pages.ts';
import type { StoredSegment } from '../read/manifest.ts';
import { MissingPages } from '../read/missing-pages.ts';
import {
  pagesOfHeads,
  pagesOfRange,
  sectionsOfHeads,
  sectionsOfSeries,
} from '../read/pages-of-range.ts';
import { sectionsOf } from '../read/segment-ranges.ts';

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
  const isReadable = yield* checkContent({ source, segment, directory }, check);
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
  if (directory.slots <= shape.aggregates.length) return directory;
  yield `it has ${directory.slots} meters, its group ${shape.aggregates.length}`;
  return null;
}

/** A segment whose directory can be read. */
type OpenedSegment = {
  readonly source: CopySource;
  readonly segment: StoredSegment;
  readonly directory: Directory;
};

/** Yield in words what is wrong. Errors: DamagedSegment. */
type ContentCheck = {
  readonly range: (
    range: LocatedRange,
    sections: Sections,
  ) => Iterable<string> | AsyncIterable<string>;
  /** Called after all ranges, if all of them could be read. */
  readonly heads: (sections: Sections) => Iterable<string>;
};

/**
 * Checks the pages of each range and of the heads, and their contents with `check`. Returns whether
 * everything could be read.
 */
export async function* checkContent(
  { source, segment, directory }: OpenedSegment,
  check: ContentCheck,
): AsyncGenerator<string, boolean> {
  const pages = new PageCheck(directory);
  const open = (numbers: Iterable<number>) => openPages(source, segment, { numbers, pages });
  let isReadable = true;
  for (const range of directory.ranges) {
    const sections = yield* open(pagesOfRange(range));
    const isRead = sections && (yield* readable(() => check.range(range, sections)));
    if (!isRead) isReadable = false;
  }
  const sections = yield* open(pagesOfHeads(directory));
  if (!isReadable || !sections) return false;
  if (!(yield* readable(() => check.heads(sections)))) return false;
  yield* checkSize(segment, pages.sizeBytes);
  return true;
}

/** Yields the faults that `check` finds. Returns whether it could read everything. */
async function* readable(
  check: () => Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, boolean> {
  try {
    yield* check();
    return true;
  } catch (error) {
    if (!(error instanceof DamagedSegment)) throw error;
    yield error.message;
    return false;
  }
}

type PagesToOpen = { readonly numbers: Iterable<number>; readonly pages: PageCheck };

/** Fetches and checks some pages. Yields what is wrong with them, and then returns null. */
async function* openPages(
  source: CopySource,
  segment: StoredSegment,
  { numbers, pages }: PagesToOpen,
): AsyncGenerator<string, Sections | null> {
  const fetched = await tryFetch(source, { segment, pages: numbers });
  if (fetched instanceof MissingPages) {
    yield fetched.message;
    return null;
  }
  yield* pages.faults(fetched.get(segment.segmentId) ?? new Map());
  return pages.isDamaged ? null : sectionsOf(segment, fetched);
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
  request: PageRequest,
): Promise<FetchedPages | MissingPages> {
  try {
    return await fetchPages(source, [request]);
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

/** Checks the digest of each page once, although neighbouring ranges share pages. */
class PageCheck {
  sizeBytes = 0;
  /** Whether one of the pages checked last is damaged. */
  isDamaged = false;
  readonly #directory: Directory;
  /** Whether a page is damaged, by its number. */
  readonly #known = new Map<number, boolean>();

  constructor(directory: Directory) {
    this.#directory = directory;
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
      openPage(bytes, { nonce: this.#directory.nonce, number });
      return null;
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      return `${error.message} (${partsOfPage(this.#directory, number).join(', ')})`;
    }
  }
}

/** Returns what a page holds, in words. */
function partsOfPage(
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
