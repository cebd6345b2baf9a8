import type { Connection } from '../../db/write/connection.ts';
import { selectRuns } from '../../db/write/packed-runs.ts';
import type { AvailableSlice } from '../../db/write/select-available-slices.ts';
import { type ExpectedOf, expectedBlocks, expectedSeries } from '../../db/write/select-expected.ts';
import { selectExtent } from '../../db/write/select-extent.ts';
import { type RunScope, selectRunSections } from '../../db/write/select-run-sections.ts';
import { floorTo } from '../../domain/interval.ts';
import { sliceName } from '../../domain/slice-name.ts';
import { seriesGrid, WHOLE_GROUP } from '../../topk/key-series.ts';
import { resolutionsOf } from '../../topk/resolutions.ts';
import type { StoredGroup } from '../pack-groups.ts';
import { compareRuns, type RunComparison } from './compare-runs.ts';
import type { Finding, Subject } from './differences.ts';

export type Verification = {
  /** Its transaction is one snapshot of the whole. */
  readonly connection: Connection;
  readonly probeName: (probeId: number) => string | null;
  readonly report: (subject: Subject, finding: Finding) => void;
  readonly signal?: AbortSignal | undefined;
};

/** Seconds of a group that are compared at a time, but for blocks of an hour. */
const CHUNK_SECONDS = 3600;

/** Compares a group's blocks up to an hour in a slice; returns how many readings were compared. */
export async function verifySliceBlocks(
  verification: Verification,
  slice: AvailableSlice,
  group: StoredGroup,
): Promise<number> {
  const { connection, signal } = verification;
  const { groupId, bucketSeconds } = group;
  const { base } = resolutionsOf(bucketSeconds);
  let readings = 0;
  for (const level of base) {
    const { first, last } = await selectExtent(connection, { groupId, level, ...slice });
    if (first === null || last === null) continue;
    // The longest ones are few; finer ones all divide an hour.
    const step = level === base.at(-1) ? slice.endsAt - slice.startsAt : CHUNK_SECONDS;
    const reported = new Set<string>();
    const end = Math.min(last + 1, slice.endsAt);
    for (let from = Math.max(floorTo(first, step), slice.startsAt); from < end; from += step) {
      signal?.throwIfAborted();
      const range = { from, to: Math.min(from + step, slice.endsAt) };
      readings += await verifyBlocks(verification, { slice, group, level, range, reported });
    }
  }
  return readings;
}

type BlocksPart = Pick<RunComparison, 'group' | 'level' | 'range' | 'reported'> & {
  readonly slice: AvailableSlice;
};

async function verifyBlocks(
  verification: Verification,
  { slice, group, level, range, reported }: BlocksPart,
): Promise<number> {
  const { connection } = verification;
  const { sliceId, startsAt } = slice;
  const scope = { table: 'topper_blocks', groupId: group.groupId, level, sliceId } as const;
  return compareRuns({
    ...{ group, level, range, reported },
    expected: expectedBlocks(connection, expectedOf(slice, group, range), level),
    sections: await selectRunSections(connection, scope, { least: startsAt, ...range }),
    loadRuns: runsOf(connection, scope, range),
    locate: ({ start, shard }, keyId) => ({ start, key: { shard, keyId } }),
    locateBlock: ({ start }) => ({ start }),
    report: reportTo(verification, { group, table: 'topper_blocks', level, slice }),
  });
}

/** The same for its series, which are one step of the grid after the other of each key. */
export async function verifySliceSeries(
  verification: Verification,
  slice: AvailableSlice,
  group: StoredGroup,
): Promise<number> {
  const { connection } = verification;
  const { sliceId, startsAt, endsAt } = slice;
  const grid = seriesGrid(startsAt, group.topperBucketSeconds);
  const level = grid.stepSeconds;
  const scope = { table: 'key_series', groupId: group.groupId, level, sliceId } as const;
  const range = { from: WHOLE_GROUP, to: ALL_KEYS };
  const times = { from: startsAt, to: endsAt };
  return compareRuns({
    ...{ group, level: 1, range, reported: new Set() },
    expected: expectedSeries(connection, expectedOf(slice, group, times), grid),
    sections: await selectRunSections(connection, scope, { least: WHOLE_GROUP, ...range }),
    loadRuns: runsOf(connection, scope, range),
    locate: ({ start: keyId, shard }, step) => ({
      start: grid.origin + step * grid.stepSeconds,
      key: { shard, keyId },
    }),
    locateBlock: ({ start: keyId, shard }) => ({ key: { shard, keyId } }),
    report: reportTo(verification, { group, table: 'key_series', level, slice }),
  });
}

/** Beyond every key id: the column is an integer. */
const ALL_KEYS = 2 ** 31 - 1;

const expectedOf = (
  { sliceId }: AvailableSlice,
  { groupId, folds }: StoredGroup,
  times: { from: number; to: number },
): ExpectedOf => ({ groupId, probeId: null, sliceIds: [sliceId], folds, ...times });

const runsOf =
  (
    connection: Connection,
    { table, groupId, level, sliceId }: RunScope,
    { from, to }: { from: number; to: number },
  ): RunComparison['loadRuns'] =>
  ({ probeId, shard }) =>
    selectRuns(
      connection,
      table,
      { groupId, level, probeId, sliceId, shard },
      { from, to: to - 1 },
    );

const reportTo =
  (
    { probeName, report }: Verification,
    subject: Omit<Subject, 'slice' | 'probe'> & { readonly slice: AvailableSlice },
  ): RunComparison['report'] =>
  (probeId, finding) => {
    const { startsAt, engine } = subject.slice;
    const slice = sliceName(startsAt, engine);
    report({ ...subject, slice, probe: probeName(probeId) }, finding);
  };
