import { SegmentCache } from '../../engine/cache/segment-cache.ts';
import { ThreadPool } from '../../engine/kernel/threads/thread-pool.ts';
import type { SegmentGroup } from '../../engine/plan/key-questions.ts';
import type {
  ScopedRollUp,
  ScopedSegment,
  ScopedSegments,
} from '../../engine/plan/scoped-segment.ts';
import type { SegmentReader } from '../../engine/snapshot/segment-reader.ts';
import { readDirectory } from '../../segments/pages/directory.ts';
import {
  CODEC,
  type PlainSample,
  type PlainSegment,
  SHAPE,
  SMALL,
  spanOf,
  writeRollUp,
  writeSegment,
} from '../segments/plain-segments.ts';

export const GROUP: SegmentGroup = { groupId: 7, shape: SHAPE, codec: CODEC };

/** Segments with their pages in memory, and a count of the statements that fetched pages. */
export type TestStore = {
  readonly segments: readonly ScopedSegment[];
  readonly live: ScopedSegments;
  readonly reader: SegmentReader;
  readonly statements: () => number;
};

export type TestSegment = {
  readonly probeId: number;
  readonly samples: readonly PlainSample[];
  /** 0 if it is not given. */
  readonly level?: number;
};

export function storeOf(contents: readonly TestSegment[], limits = SMALL): TestStore {
  const written = contents.map(({ samples }) => writeSegment(samples, limits));
  return storeOfWritten(written, contents);
}

/** written: the contents as they are stored. */
export function storeOfWritten(
  written: readonly PlainSegment[],
  contents: readonly TestSegment[],
): TestStore {
  const segments = contents.map(({ probeId, samples, level = 0 }, i) =>
    stored(written[i] as PlainSegment, { segmentId: i + 1, probeId, level, ...spanOf(samples) }),
  );
  return openStore(written, { segments, rollUps: [] });
}

/** sources: ids, which are 1 for the first segment; roll-ups follow the segments. */
export type TestRollUp = { readonly probeId: number; readonly sources: readonly number[] };

export async function storeWith(
  contents: readonly TestSegment[],
  rollUps: readonly TestRollUp[],
  limits = SMALL,
): Promise<TestStore> {
  const { segments } = storeOf(contents, limits);
  const written = contents.map(({ samples }) => writeSegment(samples, limits));
  const made: ScopedRollUp[] = [];
  for (const { probeId, sources } of rollUps) {
    const content = await writeRollUp(
      sources.map((id) => written[id - 1] as PlainSegment),
      limits,
    );
    written.push(content);
    const of = sources.map((id) => [...segments, ...made][id - 1] as ScopedSegment);
    const first = Math.min(...of.map(({ firstBucket }) => firstBucket));
    const last = Math.max(...of.map(({ lastBucket }) => lastBucket));
    const segment = stored(content, { segmentId: written.length, probeId, level: 0, first, last });
    made.push({ ...segment, sources });
  }
  return openStore(written, { segments, rollUps: made });
}

/** written: indexed by segmentId − 1. */
function openStore(written: readonly PlainSegment[], live: ScopedSegments): TestStore {
  let statements = 0;
  const reader: SegmentReader = {
    node: 'test',
    memory: new SegmentCache(2 ** 24),
    threadPool: new ThreadPool({ workers: 1, queueLength: 10 }),
    caller: { user: 'test', signal: new AbortController().signal },
    pause: () => undefined,
    afterKeys: () => undefined,
    yieldToEventLoop: async () => {},
    fetch: async (requests) => {
      if (requests.some(({ pages }) => [...pages].length > 0)) statements += 1;
      return new Map(
        requests.map(({ segment, pages }) => {
          const own = written[segment.segmentId - 1]?.pages ?? [];
          const found = [...pages].map((page): [number, Uint8Array] => {
            const bytes = own[page];
            if (!bytes) throw new Error(`segment ${segment.segmentId} has no page ${page}`);
            return [page, bytes];
          });
          return [segment.segmentId, new Map(found)];
        }),
      );
    },
  };
  const { segments } = live;
  return { segments, live, reader, statements: () => statements };
}

type StoredAs = {
  readonly segmentId: number;
  readonly probeId: number;
  readonly level: number;
  readonly first: number;
  readonly last: number;
};

function stored(
  { directory: bytes, pages }: PlainSegment,
  { segmentId, probeId, level, first, last }: StoredAs,
): ScopedSegment {
  const directory = readDirectory(bytes);
  return {
    segmentId,
    groupId: GROUP.groupId,
    probeId,
    sliceId: 1,
    level,
    firstBucket: first,
    lastBucket: last,
    keyCount: directory.ranges.reduce((sum, { keyCount }) => sum + keyCount, 0),
    rowCount: directory.ranges.reduce((sum, { rowCount }) => sum + rowCount, 0),
    pageCount: pages.length,
    sizeBytes: 0,
    addedAt: 1,
    importedAt: 0,
    directoryBytes: bytes.length,
    directory: () => directory,
    limit: null,
  };
}
