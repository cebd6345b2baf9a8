import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { type GroupRow, selectGroups } from '../../db/write/declaration/select-groups.ts';
import { type Fold, foldOf } from '../../domain/toppers/meter-type.ts';
import { answerSegments } from '../../engine/answer/answer-segments.ts';
import { SegmentMemory } from '../../engine/cache/segment-memory.ts';
import { ThreadPool } from '../../engine/kernel/threads/thread-pool.ts';
import type { TopKeys } from '../../engine/plan/key-questions.ts';
import type { SegmentReader } from '../../engine/snapshot/segment-reader.ts';
import { keyCodecOf } from '../../segments/keys/key-codec.ts';
import { openOldArchive } from '../../store/convert/read-old-archive.ts';
import { restoreOldArchive } from '../../store/convert/restore-old-archive.ts';
import { fetchPages } from '../../store/read/fetch-pages.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import { loadShapes } from '../../store/shapes/load-shapes.ts';
import { type ConvertLab, LATER, openClone, restoreMigrated } from './convert-lab.ts';
import { liveSegments } from './plain-readings.ts';
import { readAnswers } from './stored-answers.ts';
import type { StoredDatabase } from './stored-database.ts';

const CONTEXT_ID = 1;

let stored: StoredDatabase;
let lab: ConvertLab;
let threadPool: ThreadPool;

beforeAll(async () => {
  stored = await restoreMigrated();
  lab = await openClone(stored);
  await lab.convert();
  // The stored answers are from before anything was archived.
  await restoreArchive('lab/slice-20240715-0000.d61621ce.gz', { sliceId: 1, rows: 313 });
  threadPool = new ThreadPool({ workers: 1, queueLength: 10 });
});

afterAll(async () => {
  await threadPool?.close();
  await lab?.close();
  await stored?.remove();
});

type ArchivedSlice = { readonly sliceId: number; readonly rows: number };

async function restoreArchive(path: string, slice: ArchivedSlice): Promise<void> {
  const reader = await openOldArchive(join(stored.pool, path));
  const toRestore = { ...slice, contextId: CONTEXT_ID, archive: reader.read() };
  await inTransaction(lab.connection, () =>
    restoreOldArchive(lab.connection, toRestore, { now: LATER }),
  );
  await reader.close();
}

/** The compared fields of a stored topper that lists all keys. */
type StoredTopper = {
  readonly total: unknown;
  readonly keyCount: number;
  readonly keys: readonly { readonly key: string; readonly volume: unknown }[];
};

type TopperQuestion = {
  readonly guid: string;
  readonly meter: number;
  readonly interval: { readonly from: number; readonly to: number };
  readonly topper: StoredTopper;
};

/** Reads whole toppers of context lab, without filter or probe, over whole buckets of any group. */
async function storedToppers(): Promise<TopperQuestion[]> {
  const answers = await readAnswers('store-0.7.0', 'answers-whole.ndjson.gz');
  return answers.flatMap(({ question, answer }) => {
    if (!('query' in question) || !question.query.includes('topper(')) return [];
    // The variables of all stored questions have this form.
    const { context, group, meter, window, maxItems, probe, filter } = question.variables as {
      readonly [name: string]: unknown;
      readonly window?: { readonly interval?: TopperQuestion['interval'] };
    };
    const interval = window?.interval;
    const isPlain = context === 'lab' && maxItems === 1000 && !probe && !filter;
    if (!isPlain || !interval || interval.from % 86_400 !== 0 || interval.to % 86_400 !== 0) {
      return [];
    }
    const topper = (answer as { data?: { context?: { counterGroup?: { topper?: StoredTopper } } } })
      .data?.context?.counterGroup?.topper;
    const isWhole = topper?.keys?.[0]?.volume !== undefined;
    return isWhole ? [{ guid: String(group), meter: Number(meter), interval, topper }] : [];
  });
}

const guidOf = ({ guid }: GroupRow): string => `{${guid.toUpperCase()}}`;

async function topperOf(
  group: GroupRow,
  { meter, interval }: TopperQuestion,
  live: readonly StoredSegment[],
): Promise<(TopKeys & { readonly fold: Fold }) | null> {
  const { groupId, bucketSize: bucketSeconds } = group;
  const { slot, type } = group.meters.find(({ id }) => id === meter) ?? { slot: 0, type: 0 };
  const fold = foldOf(type);
  // Only without sampling is the volume of a counter or rate the sum itself.
  if ((fold !== 'sum' && fold !== 'rate') || group.samplingRate !== 1) return null;
  const shape = (await loadShapes(lab.connection, CONTEXT_ID)).get(groupId);
  if (!shape) throw new Error(`group ${groupId} is not there`);
  const read = { groupId, bucketSeconds, slot, fold, probeId: null, interval, prefix: null };
  const [answer] = await answerSegments(
    reader(),
    { segments: live, rollUps: [] },
    [
      {
        group: { groupId, shape, codec: keyCodecOf(shape) },
        read,
        question: { kind: 'top', maxItems: 1000, within: null, passing: null },
      },
    ],
    null,
  );
  return answer?.kind === 'top' ? { ...answer, fold } : null;
}

const reader = (): SegmentReader => ({
  node: 'test',
  memory: new SegmentMemory(2 ** 24),
  threadPool,
  caller: { user: 'test', signal: new AbortController().signal },
  pause: () => undefined,
  afterKeys: () => undefined,
  yieldToEventLoop: async () => {},
  fetch: (requests, bound) => fetchPages(copiesOf(lab.connection), requests, bound),
});

const byKey = (entries: readonly (readonly [string, string])[]) =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

describe('toppers over converted segments', () => {
  it('equal those of version 0.7, for counters and rates of every group', async () => {
    const groups = await selectGroups(lab.connection, CONTEXT_ID);
    const live = await liveSegments(lab.connection, CONTEXT_ID);
    let compared = 0;
    const comparedGroups = new Set<string>();
    for (const question of await storedToppers()) {
      const group = groups.find((each) => guidOf(each) === question.guid);
      const answer = group && (await topperOf(group, question, live));
      if (!answer) continue;
      const { topper, guid } = question;
      expect(answer.keyCount).toBe(topper.keyCount);
      if (answer.fold === 'sum') expect(String(answer.total?.sum)).toBe(String(topper.total));
      expect(byKey(answer.listed.map(({ key, value }) => [key, String(value.sum)]))).toEqual(
        byKey(topper.keys.map(({ key, volume }) => [key, String(volume)])),
      );
      compared += 1;
      comparedGroups.add(guid);
    }
    expect(compared).toBeGreaterThan(15);
    expect(comparedGroups.size).toBeGreaterThan(10);
  });
});
