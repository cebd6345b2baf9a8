import { setTimeout as delay } from 'node:timers/promises';
import type { CopySource } from '../../db/session/copy-source.ts';
import type { Deadline } from '../../db/session/read-session.ts';
import { type PagesRead, selectPages } from '../../db/sql/pages.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { StoredSegment } from './manifest.ts';
import { MissingPages } from './missing-pages.ts';

/** Pages of a segment, in any order and possibly with duplicates. */
export type PageRequest = {
  readonly segment: Pick<StoredSegment, 'segmentId' | 'sliceId' | 'level' | 'importedAt'>;
  readonly pages: Iterable<number>;
};

/**
 * Pages by segmentId and number, as views of one buffer: to keep some of them for long, copy them;
 * otherwise the whole buffer stays in memory.
 */
export type FetchedPages = ReadonlyMap<number, ReadonlyMap<number, Uint8Array>>;

/**
 * Fetches all of these pages in one statement, or none if no pages are requested. Run it in the
 * snapshot of the manifest, or a page may be missing. Distributed pages, which may arrive late, are
 * retried for a while. Errors: MissingPages, and those of the source.
 */
export async function fetchPages(
  source: CopySource,
  requests: Iterable<PageRequest>,
  deadline?: Deadline | null,
): Promise<FetchedPages> {
  const reads = oncePerSegment(requests).flatMap(runsOf);
  const fetched = new Map<number, Map<number, Uint8Array>>();
  if (reads.length === 0) return fetched;
  const until = performance.now() + LIMITS.latePagesMs;
  let wanted: readonly PagesRead[] = reads;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    await addPages(fetched, source, { reads: wanted, deadline });
    wanted = wanted.filter((read) => missingOf(read, fetched).length > 0);
    const [first] = wanted;
    if (!first) return fetched;
    if (!source.distributedPages || performance.now() >= until) throw missing(first, fetched);
    await delay(waitMs);
  }
}

/** About as long as a worker takes to commit what the coordinator has committed. */
const FIRST_WAIT_MS = 5;

type Reading = {
  readonly reads: readonly PagesRead[];
  readonly deadline: Deadline | null | undefined;
};

async function addPages(
  fetched: Map<number, Map<number, Uint8Array>>,
  source: CopySource,
  { reads, deadline }: Reading,
): Promise<void> {
  for (const { segmentId, page, bytes } of await selectPages(source, reads, deadline)) {
    const pages = fetched.get(segmentId);
    if (pages) pages.set(page, bytes);
    else fetched.set(segmentId, new Map([[page, bytes]]));
  }
}

function oncePerSegment(requests: Iterable<PageRequest>): PageRequest[] {
  const bySegment = new Map<number, PageRequest & { readonly pages: Set<number> }>();
  for (const { segment, pages } of requests) {
    const known = bySegment.get(segment.segmentId);
    if (known) for (const page of pages) known.pages.add(page);
    else bySegment.set(segment.segmentId, { segment, pages: new Set(pages) });
  }
  return [...bySegment.values()];
}

/** Returns the requested pages as runs of consecutive numbers, to keep the statement short. */
function runsOf({ segment, pages }: PageRequest): PagesRead[] {
  const { segmentId, sliceId, level, importedAt } = segment;
  const runs: { first: number; last: number }[] = [];
  for (const page of [...pages].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.last === page - 1) run.last = page;
    else runs.push({ first: page, last: page });
  }
  return runs.map(({ first, last }) => ({ segmentId, sliceId, level, importedAt, first, last }));
}

function missing(read: PagesRead, fetched: FetchedPages): MissingPages {
  const pages = missingOf(read, fetched);
  return new MissingPages({
    segmentId: read.segmentId,
    page: pages[0] ?? read.first,
    count: pages.length,
  });
}

function missingOf({ segmentId, first, last }: PagesRead, fetched: FetchedPages): number[] {
  const pages = fetched.get(segmentId);
  const numbers: number[] = [];
  for (let page = first; page <= last; page += 1) if (!pages?.has(page)) numbers.push(page);
  return numbers;
}
