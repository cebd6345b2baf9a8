import type { CopySource } from '../../db/copy-source.ts';
import { type PagesRead, selectPages } from '../../db/queries/segments/select-pages.ts';
import type { TimeBound } from '../../db/read-session.ts';
import type { StoredSegment } from './manifest.ts';
import { MissingPages } from './missing-pages.ts';

/** Pages of a segment, in any order and possibly named twice. */
export type PageRequest = {
  readonly segment: Pick<StoredSegment, 'segmentId' | 'sliceId' | 'level' | 'importedAt'>;
  readonly pages: Iterable<number>;
};

/**
 * By segmentId and page, views of one buffer: who keeps some of them for long copies them, or
 * keeps all.
 */
export type FetchedPages = ReadonlyMap<number, ReadonlyMap<number, Uint8Array>>;

/**
 * All of these pages in one statement, none where no page is asked for; in the snapshot that
 * the manifest is of, or a page may be missing. Errors: MissingPages, and those of the source.
 */
export async function fetchPages(
  source: CopySource,
  requests: Iterable<PageRequest>,
  bound?: TimeBound | null,
): Promise<FetchedPages> {
  const reads = oncePerSegment(requests).flatMap(runsOf);
  const fetched = new Map<number, Map<number, Uint8Array>>();
  if (reads.length === 0) return fetched;
  for (const { segmentId, page, bytes } of await selectPages(source, reads, bound)) {
    const pages = fetched.get(segmentId);
    if (pages) pages.set(page, bytes);
    else fetched.set(segmentId, new Map([[page, bytes]]));
  }
  for (const read of reads) requireAll(read, fetched.get(read.segmentId));
  return fetched;
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

/** The requested pages as runs of neighbours, so that the statement is short. */
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

function requireAll(
  { segmentId, first, last }: PagesRead,
  pages: ReadonlyMap<number, Uint8Array> | undefined,
): void {
  const missing: number[] = [];
  for (let page = first; page <= last; page += 1) if (!pages?.has(page)) missing.push(page);
  const [page] = missing;
  if (page !== undefined) throw new MissingPages({ segmentId, page, count: missing.length });
}
