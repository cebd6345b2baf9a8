import { deleteCoarseBlocks } from '../db/write/coarse-blocks.ts';
import type { Connection } from '../db/write/connection.ts';
import { noteChanges } from '../db/write/note-changes.ts';
import { groupBy } from '../domain/group-by.ts';
import { floorTo } from '../domain/interval.ts';
import { LIMITS } from '../domain/limits.ts';
import { groupSeries, keySeries, seriesGrid } from '../topk/key-series.ts';
import { resolutionsOf, runSeconds } from '../topk/resolutions.ts';
import { type BlocksByShard, bucketBlocks, joinParts } from './reading-blocks.ts';
import type { PackGroup, ReadingsSink, SortedReadings } from './sorted-readings.ts';
import { writeRuns } from './write-runs.ts';

export type PackTarget = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly sliceSeconds: number;
  /** Whether the slice's samples are all in blocks so far; if not, `rebuild` packs them later. */
  readonly isPacked: (sliceId: number) => boolean;
};

/** Readings of one group, probe and slice that wait to be packed. */
type Pending = { readonly batches: SortedReadings[]; from: number; to: number };

/**
 * Packs what an import reads into blocks and series, in the import's own transaction. Readings wait
 * in memory, so that a block is written once and not for every batch; when they become too many,
 * all are written, and what comes to the same blocks later is merged with what is stored.
 */
export function createReadingPacker(target: PackTarget): ReadingsSink {
  const pending = new Map<string, Pending>();
  const touched = new Map<string, Pending & { group: PackGroup; probeId: number }>();
  let pendingBytes = 0;

  async function flush(): Promise<void> {
    for (const { batches } of pending.values()) await packSlice(target, batches);
    pending.clear();
    pendingBytes = 0;
  }

  return {
    async add(readings) {
      const { group, probeId, sliceId } = readings;
      if (readings.rowCount === 0) return;
      widen(touched, `${group.groupId} ${probeId} ${sliceId}`, readings, { group, probeId });
      if (!target.isPacked(sliceId)) return;
      widen(pending, `${group.groupId} ${probeId} ${sliceId}`, readings, {}).batches.push(readings);
      pendingBytes += bytesOf(readings);
      if (pendingBytes > LIMITS.importPendingBytes) await flush();
    },
    async finish() {
      await flush();
      const spans = [...touched.values()].map(({ group, probeId, from, to }) => ({
        ...{ groupId: group.groupId, probeId, from, to: to + group.bucketSeconds },
      }));
      await deleteCoarseBlocks(target.connection, spans);
      await noteChanges(target.connection, target.contextId, spans);
      touched.clear();
    },
  };
}

/** The entry of a place, made where there is none, with the readings' buckets in its span. */
function widen<More extends object>(
  entries: Map<string, Pending & More>,
  place: string,
  { buckets, rowCount }: SortedReadings,
  more: More,
): Pending & More {
  const [first, last] = [buckets[0] ?? 0, buckets[rowCount - 1] ?? 0];
  const entry = entries.get(place) ?? { batches: [], from: first, to: last, ...more };
  entries.set(place, entry);
  entry.from = Math.min(entry.from, first);
  entry.to = Math.max(entry.to, last);
  return entry;
}

/** Bucket, shard, id, and eight bytes for each reading and count. */
const bytesOf = ({ rowCount, readings, counts }: SortedReadings): number =>
  rowCount * (13 + 8 * readings.length + 8 * counts.filter((column) => column).length);

/** All that is made of the readings of one group, probe and slice. */
export async function packSlice(
  { connection, sliceSeconds }: Pick<PackTarget, 'connection' | 'sliceSeconds'>,
  batches: readonly SortedReadings[],
): Promise<void> {
  const [first] = batches;
  if (!first) return;
  const { group, probeId, sliceId } = first;
  const { folds, groupId } = group;
  const set = { groupId, probeId, sliceId };
  const resolutions = resolutionsOf(group.bucketSeconds);
  const finest = bucketBlocks(batches, folds);
  let blocks = finest;
  for (const level of resolutions.base) {
    if (level !== group.bucketSeconds) blocks = coarser(blocks, level, group);
    const within = runSeconds(resolutions, level, sliceSeconds);
    const space = { level, within, slots: folds.length };
    const runs = { table: 'topper_blocks', set: { ...set, level }, space, folds } as const;
    await writeRuns(connection, runs, blocks);
  }
  await packSeries(connection, { group, sliceSeconds, set }, finest);
}

function coarser(blocks: BlocksByShard, level: number, { folds }: PackGroup): BlocksByShard {
  return new Map(
    [...blocks].map(([shard, ofShard]) => {
      const parts = groupBy(ofShard.values(), ({ start }) => floorTo(start, level));
      return [shard, joinParts(restarted(parts), folds)];
    }),
  );
}

/** A part that is alone is taken as it is: it begins where the longer block does. */
function restarted<Block extends { start: number }>(
  parts: ReadonlyMap<number, readonly Block[]>,
): Map<number, Block[]> {
  return new Map(
    [...parts].map(([start, list]) => [start, list.map((each) => ({ ...each, start }))]),
  );
}

type SeriesTarget = {
  readonly group: PackGroup;
  readonly sliceSeconds: number;
  readonly set: { readonly groupId: number; readonly probeId: number; readonly sliceId: number };
};

async function packSeries(
  connection: Connection,
  { group, sliceSeconds, set }: SeriesTarget,
  finest: BlocksByShard,
): Promise<void> {
  const { folds, topperBucketSeconds } = group;
  const all = [...finest.values()].flatMap((ofShard) => [...ofShard.values()]);
  const grid = seriesGrid(floorTo(all[0]?.start ?? 0, sliceSeconds), topperBucketSeconds);
  const series = new Map(
    [...finest].map(([shard, ofShard]) => {
      const keys = keySeries([...ofShard.values()], folds, grid);
      return [shard, new Map(keys.map((key) => [key.start, key]))];
    }),
  );
  const whole = groupSeries(all, folds, grid);
  series.set(0, new Map([[whole.start, whole], ...(series.get(0) ?? [])]));
  const space = { level: 1, within: Number.POSITIVE_INFINITY, slots: folds.length };
  const runs = { table: 'key_series', set: { ...set, level: topperBucketSeconds }, space, folds };
  await writeRuns(connection, { ...runs, table: 'key_series' }, series);
}
