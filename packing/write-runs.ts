import type { Connection } from '../db/write/connection.ts';
import {
  copyRuns,
  type RunPlaceRow,
  type RunRow,
  type RunSet,
  type RunTable,
  selectRunPlaces,
  takeRuns,
} from '../db/write/packed-runs.ts';
import { groupBy } from '../domain/group-by.ts';
import type { SlotFolds } from '../topk/merge-blocks.ts';
import { packRuns, type RunSpace, runsToRewrite } from '../topk/pack-runs.ts';
import type { ShardBlock } from '../topk/packed-run.ts';
import { unpackRun } from '../topk/unpack-run.ts';
import { type BlocksByShard, joinParts } from './reading-blocks.ts';

export type RunTarget = {
  readonly table: RunTable;
  readonly set: RunSet;
  readonly space: RunSpace;
  readonly folds: SlotFolds;
};

/** Adds blocks to those of the set that are stored, merging those of the same start. */
export async function writeRuns(
  connection: Connection,
  { table, set, space, folds }: RunTarget,
  blocks: BlocksByShard,
): Promise<void> {
  const stored = await storedPlaces(connection, { table, set, space }, blocks);
  const rewritten = [...blocks].flatMap(([shard, ofShard]) =>
    runsToRewrite(stored.get(shard) ?? [], [...ofShard.keys()], space.within),
  );
  const taken = groupBy(await takeRuns(connection, table, set, rewritten), ({ shard }) => shard);
  const kept = keptStarts(stored, rewritten);
  await copyRuns(connection, table, set, packedRows(blocks, { taken, kept }, space, folds));
}

/** By shard, where the runs begin that stay as they are. */
function keptStarts(
  stored: ReadonlyMap<number, readonly RunPlaceRow[]>,
  rewritten: readonly RunPlaceRow[],
): Map<number, number[]> {
  const taken = new Set(rewritten);
  return new Map(
    [...stored].map(([shard, places]) => [
      shard,
      places.filter((place) => !taken.has(place)).map(({ start }) => start),
    ]),
  );
}

/** Where runs are stored that the blocks might come into, by shard. */
async function storedPlaces(
  connection: Connection,
  { table, set, space }: Pick<RunTarget, 'table' | 'set' | 'space'>,
  blocks: BlocksByShard,
): Promise<Map<number, RunPlaceRow[]>> {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const ofShard of blocks.values()) {
    for (const start of ofShard.keys()) {
      from = Math.min(from, start);
      to = Math.max(to, start);
    }
  }
  if (to < from) return new Map();
  // A run that such a block belongs to begins at or before it, within the same space.
  const least = space.within === Number.POSITIVE_INFINITY ? -1 : from - (from % space.within);
  const places = await selectRunPlaces(connection, table, set, { from: least, to });
  return groupBy(places, ({ shard }) => shard);
}

type StoredRuns = {
  readonly taken: ReadonlyMap<number, readonly RunRow[]>;
  readonly kept: ReadonlyMap<number, readonly number[]>;
};

function* packedRows(
  blocks: BlocksByShard,
  { taken, kept }: StoredRuns,
  space: RunSpace,
  folds: SlotFolds,
): Generator<RunRow> {
  for (const [shard, ofShard] of blocks) {
    const before = (taken.get(shard) ?? []).flatMap((run) =>
      unpackRun(run, space.level, space.slots),
    );
    const all = before.length === 0 ? ofShard : joinParts(partsOf(before, ofShard), folds);
    const runs = packRuns([...all.values()], space, kept.get(shard));
    for (const run of runs) yield { shard, ...run };
  }
}

function partsOf(
  before: readonly ShardBlock[],
  added: ReadonlyMap<number, ShardBlock>,
): Map<number, ShardBlock[]> {
  const parts = groupBy(before, ({ start }) => start);
  for (const [start, block] of added) {
    const known = parts.get(start);
    if (known) known.push(block);
    else parts.set(start, [block]);
  }
  return parts;
}
