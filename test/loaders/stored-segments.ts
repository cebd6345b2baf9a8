import { SegmentMemory } from '../../resolvers/loaders/memory/segment-memory.ts';
import type { SegmentGroup } from '../../resolvers/loaders/plan/key-questions.ts';
import type { SegmentReader } from '../../resolvers/loaders/session/segment-reader.ts';
import { readDirectory } from '../../segments/pages/directory.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import { ThreadPool } from '../../topk/thread-pool.ts';
import {
  CODEC,
  type PlainSample,
  type PlainSegment,
  SHAPE,
  spanOf,
  writeSegment,
} from '../segments/plain-segments.ts';

export const GROUP: SegmentGroup = { groupId: 7, shape: SHAPE, codec: CODEC };

/** Segments whose pages lie in memory, and how often pages were fetched. */
export type TestStore = {
  readonly segments: readonly StoredSegment[];
  readonly reader: SegmentReader;
  readonly statements: () => number;
};

export type TestSegment = { readonly probeId: number; readonly samples: readonly PlainSample[] };

export function storeOf(contents: readonly TestSegment[]): TestStore {
  const written = contents.map(({ samples }) => writeSegment(samples));
  let statements = 0;
  const reader: SegmentReader = {
    node: 'test',
    memory: new SegmentMemory(2 ** 24),
    threadPool: new ThreadPool({ workers: 1, queueLength: 10 }),
    signal: new AbortController().signal,
    goOn: () => undefined,
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
  const segments = contents.map((content, i) => stored(content, written[i] as PlainSegment, i + 1));
  return { segments, reader, statements: () => statements };
}

function stored(
  { probeId, samples }: TestSegment,
  { directory: bytes, pages }: PlainSegment,
  segmentId: number,
): StoredSegment {
  const directory = readDirectory(bytes);
  const { first, last } = spanOf(samples);
  return {
    segmentId,
    groupId: GROUP.groupId,
    probeId,
    sliceId: 1,
    level: 0,
    firstBucket: first,
    lastBucket: last,
    keyCount: directory.ranges.reduce((sum, { keyCount }) => sum + keyCount, 0),
    rowCount: directory.ranges.reduce((sum, { rowCount }) => sum + rowCount, 0),
    pageCount: pages.length,
    sizeBytes: 0,
    born: 1,
    importedAt: 0,
    directoryBytes: bytes.length,
    directory: () => directory,
  };
}
