import type { TimeBound } from '../../../db/session/read-session.ts';
import type { SectionPlace } from '../../../segments/pages/directory.ts';
import type { Sections } from '../../../segments/pages/sections.ts';
import type { FetchedPages, PageRequest } from '../../../store/read/fetch-pages.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import { sectionsOf } from '../../../store/read/segment-ranges.ts';
import type { ThreadPool } from '../../../topk/threads/thread-pool.ts';
import type { SegmentMemory } from '../memory/segment-memory.ts';

/** What a request reads segments with, in one snapshot of one node. */
export type SegmentReader = {
  /** Names the node: segments of different nodes have nothing to do with each other. */
  readonly node: string;
  readonly memory: SegmentMemory;
  readonly threadPool: ThreadPool;
  readonly signal: AbortSignal;
  /** One statement. Errors: MissingPages. */
  readonly fetch: (
    requests: readonly PageRequest[],
    bound: TimeBound | null,
  ) => Promise<FetchedPages>;
  /** To be awaited within long work. Errors: the request's time is over, its caller has gone. */
  readonly goOn: () => Promise<void> | undefined;
};

/**
 * What tells a segment from all others of a node: a database that is brought back from a backup may
 * give the same id again.
 */
export const identityOf = ({ segmentId, directory }: StoredSegment): string =>
  `${segmentId}.${directory().nonce}`;

/** A segment as the memory calls it. */
export const segmentName = ({ node }: SegmentReader, segment: StoredSegment): string =>
  `${node} ${identityOf(segment)}`;

/** Sections that are to be read, so that all pages of a request come in one statement. */
export class SectionWishes {
  readonly #pages = new Map<StoredSegment, Set<number>>();

  add(segment: StoredSegment, places: readonly (SectionPlace | null)[]): void {
    const pages = this.#pages.get(segment) ?? new Set();
    this.#pages.set(segment, pages);
    for (const place of places) if (place !== null) pages.add(place.page);
  }

  /** Gives the sections of each segment that wishes are for. No wish, no statement. */
  async read(
    reader: SegmentReader,
    bound: TimeBound | null,
  ): Promise<(segment: StoredSegment) => Sections> {
    const requests = [...this.#pages].map(([segment, pages]) => ({ segment, pages }));
    const fetched = await reader.fetch(requests, bound);
    const opened = new Map<StoredSegment, Sections>();
    return (segment) => {
      const sections = opened.get(segment) ?? sectionsOf(segment, fetched);
      opened.set(segment, sections);
      return sections;
    };
  }
}
