import {
  type CoarseBlock,
  insertCoarseBlock,
  selectCoarseBlocks,
} from '../db/write/coarse-blocks.ts';
import { type Connection, inTransaction } from '../db/write/connection.ts';
import { lockContext } from '../db/write/lock-context.ts';
import { noteChanges } from '../db/write/note-changes.ts';
import { copyRuns, deleteRuns, selectRuns } from '../db/write/packed-runs.ts';
import { type SliceCoverageRow, selectCoverage } from '../db/write/select-coverage.ts';
import { groupBy } from '../domain/group-by.ts';
import { floorTo } from '../domain/interval.ts';
import { type BlockRun, coverInterval } from '../topk/cover.ts';
import { mergeBlocks } from '../topk/merge-blocks.ts';
import { packRuns } from '../topk/pack-runs.ts';
import type { ShardBlock } from '../topk/packed-run.ts';
import { resolutionsOf } from '../topk/resolutions.ts';
import { unpackRun } from '../topk/unpack-run.ts';
import { loadPackGroups, type StoredGroup } from './pack-groups.ts';

/** A coarse block is of all slices together: it belongs to none. */
const ALL_SLICES = 0;

/** Whether a coarse block of a probe is there and whole. */
type IsWhole = (probeId: number, level: number, start: number) => boolean;

/** Takes the context's lock until the end of the transaction; false: it is not to be had. */
export type TakeContext = (connection: Connection, contextId: number) => Promise<boolean>;

const waitForContext: TakeContext = async (connection, contextId) => {
  await lockContext(connection, contextId, () => {});
  return true;
};

/**
 * Makes the blocks of a day and more that are not there, or no longer of the slices that are, each
 * out of the next finer ones. Whoever waits for the context's lock gets it between two groups.
 * Returns how many were made; it ends early where `lock` does not give the lock.
 */
export async function buildCoarseBlocks(
  connection: Connection,
  contextId: number,
  { signal, lock = waitForContext }: { signal?: AbortSignal | undefined; lock?: TakeContext } = {},
): Promise<number> {
  let made = 0;
  for (;;) {
    signal?.throwIfAborted();
    const count = await inTransaction(connection, async () => {
      if (!(await lock(connection, contextId))) return 0;
      return buildForOneGroup(connection, contextId, signal);
    });
    if (count === 0) return made;
    made += count;
  }
}

async function buildForOneGroup(
  connection: Connection,
  contextId: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const groups = await loadPackGroups(connection, contextId);
  const coverage = groupBy(await selectCoverage(connection, contextId), ({ groupId }) => groupId);
  const made = groupBy(await selectCoarseBlocks(connection, contextId), ({ groupId }) => groupId);
  for (const [groupId, rows] of coverage) {
    const group = groups.get(groupId);
    const work = group ? missingBlocks(group, rows, made.get(groupId) ?? []) : [];
    if (!group || work.length === 0) continue;
    const whole = wholeBlocks(rows, made.get(groupId) ?? []);
    for (const block of work) {
      signal?.throwIfAborted();
      await buildBlock(connection, group, block, (probeId, level, start) =>
        whole.has(blockKey({ probeId, level, start })),
      );
      whole.add(blockKey(block));
    }
    const changes = work.map(({ start, level }) => ({ groupId, from: start, to: start + level }));
    await noteChanges(connection, contextId, changes);
    return work.length;
  }
  return 0;
}

/**
 * Blocks that should be there and are not, finer ones first. What begins before the group's newest
 * bucket and ends after it is not made yet: it would have to be made again and again.
 */
export function missingBlocks(
  group: StoredGroup,
  coverage: readonly SliceCoverageRow[],
  made: readonly CoarseBlock[],
): CoarseBlock[] {
  const { base, coarse } = resolutionsOf(group.bucketSeconds);
  const newest = coverage.reduce((most, row) => Math.max(most, row.lastBucket), 0);
  const known = new Map(made.map((block) => [blockKey(block), block.sliceIds]));
  const work: CoarseBlock[] = [];
  for (const [probeId, rows] of groupBy(coverage, (row) => row.probeId)) {
    let childLevel = base.at(-1) ?? group.bucketSeconds;
    for (const level of coarse) {
      for (const [start, inside] of slicesByBlock(rows, level)) {
        const sliceIds = inside.map(({ sliceId }) => sliceId);
        const block = { groupId: group.groupId, probeId, level, start, sliceIds };
        const isSealed = start + level <= newest + group.bucketSeconds;
        const isPacked = inside.every(({ packed }) => packed);
        if (!isSealed || !isPacked || isSame(known.get(blockKey(block)), sliceIds)) continue;
        if (!base.includes(childLevel) && isOneChild(inside, childLevel)) continue;
        work.push(block);
      }
      childLevel = level;
    }
  }
  return work;
}

/**
 * Which of the made blocks hold: those of just the slices that are there. Others may be left of
 * slices that were archived or removed since.
 */
function wholeBlocks(
  coverage: readonly SliceCoverageRow[],
  made: readonly CoarseBlock[],
): Set<string> {
  const present = new Map<string, number[]>();
  for (const [probeId, rows] of groupBy(coverage, (row) => row.probeId)) {
    for (const level of new Set(made.map((block) => block.level))) {
      for (const [start, inside] of slicesByBlock(rows, level)) {
        const sliceIds = inside.map(({ sliceId }) => sliceId);
        present.set(blockKey({ probeId, level, start }), sliceIds);
      }
    }
  }
  const holding = made.filter((block) => isSame(present.get(blockKey(block)), block.sliceIds));
  return new Set(holding.map(blockKey));
}

/** Two days of which one is empty are as well read as the one. */
const isOneChild = (inside: readonly SliceCoverageRow[], childLevel: number): boolean => {
  const [first] = inside;
  const child = floorTo(first?.sliceStart ?? 0, childLevel);
  return inside.every(
    ({ sliceStart, sliceEnd }) => sliceStart >= child && sliceEnd <= child + childLevel,
  );
};

const blockKey = ({
  level,
  start,
  probeId,
}: Pick<CoarseBlock, 'level' | 'start' | 'probeId'>): string => `${level} ${start} ${probeId}`;

const isSame = (a: readonly number[] | undefined, b: readonly number[]): boolean =>
  a !== undefined && a.length === b.length && b.every((id) => a.includes(id));

/** The slices in each block of a level, oldest first. */
function slicesByBlock(
  rows: readonly SliceCoverageRow[],
  level: number,
): Map<number, SliceCoverageRow[]> {
  const blocks = new Map<number, SliceCoverageRow[]>();
  for (const row of rows) {
    for (let at = floorTo(row.sliceStart, level); at < row.sliceEnd; at += level) {
      const known = blocks.get(at);
      if (known) known.push(row);
      else blocks.set(at, [row]);
    }
  }
  return blocks;
}

async function buildBlock(
  connection: Connection,
  group: StoredGroup,
  block: CoarseBlock,
  isWhole: IsWhole,
): Promise<void> {
  const { groupId, probeId, level, start } = block;
  const set = { groupId, level, probeId, sliceId: ALL_SLICES };
  const parts = partsOf(group, block, isWhole);
  await deleteRuns(connection, 'topper_blocks', set, { from: start, to: start });
  for (let shard = 0; shard < group.shardCount; shard += 1) {
    const children = await readParts(connection, group, { block, parts, shard });
    if (children.length === 0) continue;
    const merged = mergeBlocks(start, children, group.folds);
    const runs = packRuns([merged], { level, within: level, slots: group.folds.length });
    await copyRuns(
      connection,
      'topper_blocks',
      set,
      runs.map((run) => ({ shard, ...run })),
    );
  }
  await insertCoarseBlock(connection, block);
}

/** The few blocks that a coarse one is made of: the next finer ones as far as they are there. */
function partsOf(
  group: StoredGroup,
  { probeId, level, start }: CoarseBlock,
  isWhole: IsWhole,
): readonly BlockRun[] {
  const { base, coarse } = resolutionsOf(group.bucketSeconds);
  const finer = { base, coarse: coarse.filter((each) => each < level) };
  const { runs } = coverInterval(
    { from: start, to: start + level },
    {
      resolutions: finer,
      stateOf: (finerLevel, at) => (isWhole(probeId, finerLevel, at) ? 'whole' : 'apart'),
      canSubtract: false,
    },
  );
  return runs;
}

async function readParts(
  connection: Connection,
  { folds, bucketSeconds }: StoredGroup,
  { block, parts, shard }: { block: CoarseBlock; parts: readonly BlockRun[]; shard: number },
): Promise<ShardBlock[]> {
  const { groupId, probeId, sliceIds } = block;
  const { base } = resolutionsOf(bucketSeconds);
  const blocks: ShardBlock[] = [];
  for (const { level, from, to } of parts) {
    for (const sliceId of base.includes(level) ? sliceIds : [ALL_SLICES]) {
      const set = { groupId, level, probeId, sliceId, shard };
      for (const run of await selectRuns(connection, 'topper_blocks', set, { from, to: to - 1 })) {
        const unpacked = unpackRun(run, level, folds.length);
        blocks.push(...unpacked.filter((each) => each.start >= from && each.start < to));
      }
    }
  }
  return blocks;
}
