import type { Deadline } from '../../db/session/read-session.ts';
import {
  pagesOfSections,
  type SectionLocation,
  type Sections,
} from '../../segments/pages/sections.ts';
import type { FetchedPages, PageRequest } from '../../store/read/fetch-pages.ts';
import { sectionsOf } from '../../store/read/segment-ranges.ts';
import type { SegmentCache } from '../cache/segment-cache.ts';
import type { ThreadPool } from '../kernel/threads/thread-pool.ts';
import type { KernelCaller } from '../kernel/threads/worker-threads.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';

/** Reads segments for a request, in one snapshot of one node. */
export type SegmentReader = {
  /** Identifies the node: segments of different nodes are unrelated. */
  readonly node: string;
  readonly memory: SegmentCache;
  readonly threadPool: ThreadPool;
  readonly caller: KernelCaller;
  /** Fetches pages by one statement. Errors: MissingPages. */
  readonly fetch: (
    requests: readonly PageRequest[],
    deadline: Deadline | null,
  ) => Promise<FetchedPages>;
  /** Await it during long work. Errors: the request's time limit has passed, or its caller left. */
  readonly pause: () => Promise<void> | undefined;
  /** Await it for each of many keys whose work comes before loads. Errors: the same. */
  readonly afterKeys: (count: number) => Promise<void> | undefined;
  /** Yields before long work that cannot pause. */
  readonly yieldToEventLoop: () => Promise<void>;
};

/**
 * Returns a unique identity of a segment on a node, as the caller may see it: what is made of a
 * segment with a limit is never found without it, or with another. A database restored from a
 * backup may give the same id to another segment.
 */
export const identityOf = ({ segmentId, directory, limit }: ScopedSegment): string =>
  limit === null
    ? `${segmentId}.${directory().nonce}`
    : `${segmentId}.${directory().nonce}.${limit.name}`;

/** Returns the name in the cache of what may be seen of a segment. */
export const segmentName = ({ node }: SegmentReader, segment: ScopedSegment): string =>
  `${node} ${identityOf(segment)}`;

/** Returns the name in the cache of what a segment has, whoever sees it. */
export const wholeName = (reader: SegmentReader, segment: ScopedSegment): string =>
  segmentName(reader, { ...segment, limit: null });

/** Collects the sections to read, so that one statement fetches all pages of a request. */
export class SectionRequests {
  readonly #pages = new Map<ScopedSegment, Set<number>>();

  add(segment: ScopedSegment, sections: readonly (SectionLocation | null)[]): void {
    const pages = this.#pages.get(segment) ?? new Set();
    this.#pages.set(segment, pages);
    for (const page of pagesOfSections(sections)) pages.add(page);
  }

  /**
   * Reads the pages of all requested sections; if there are none, runs no statement. Returns a
   * function that gives the sections of a segment.
   */
  async read(
    reader: SegmentReader,
    deadline: Deadline | null,
  ): Promise<(segment: ScopedSegment) => Sections> {
    const requests = Array.from(this.#pages, ([segment, pages]) => ({ segment, pages }));
    const fetched = await reader.fetch(requests, deadline);
    const opened = new Map<ScopedSegment, Sections>();
    return (segment) => {
      const sections = opened.get(segment) ?? sectionsOf(segment, fetched);
      opened.set(segment, sections);
      return sections;
    };
  }
}
