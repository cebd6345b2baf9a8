import { type Lanes, setWide, wideLanes } from '../segments/codes/lanes.ts';
import { mergeBlocks, type SlotFolds } from '../topk/merge-blocks.ts';
import type { BlockColumn, ShardBlock } from '../topk/packed-run.ts';
import { readingAt } from './reading-at.ts';
import type { ReadingColumn, SortedReadings } from './sorted-readings.ts';

/** Blocks of a slice, by shard and then by start. */
export type BlocksByShard = ReadonlyMap<number, ReadonlyMap<number, ShardBlock>>;

/** Readings that came one after the other as blocks of the group's bucket. */
export function bucketBlocks(batches: readonly SortedReadings[], folds: SlotFolds): BlocksByShard {
  const parts = new Map<number, Map<number, ShardBlock[]>>();
  for (const batch of batches) {
    for (const { shard, block } of blocksOf(batch)) {
      const ofShard = parts.get(shard) ?? new Map<number, ShardBlock[]>();
      parts.set(shard, ofShard);
      const known = ofShard.get(block.start);
      if (known) known.push(block);
      else ofShard.set(block.start, [block]);
    }
  }
  return new Map([...parts].map(([shard, ofShard]) => [shard, joinParts(ofShard, folds)]));
}

/** Blocks of the same start as one each, ascending. */
export function joinParts(
  parts: ReadonlyMap<number, readonly ShardBlock[]>,
  folds: SlotFolds,
): Map<number, ShardBlock> {
  const joined = new Map<number, ShardBlock>();
  for (const start of [...parts.keys()].sort((a, b) => a - b)) {
    const blocks = parts.get(start) ?? [];
    const [only] = blocks;
    const isReady = blocks.length === 1 && only && isAscending(only.ids);
    const block = isReady ? only : mergeBlocks(start, blocks, folds);
    if (block.ids.length > 0) joined.set(start, block);
  }
  return joined;
}

/** A key stands twice where its readings were too large for one row. */
function isAscending(ids: Uint32Array): boolean {
  for (let row = 1; row < ids.length; row += 1) {
    if ((ids[row] as number) <= (ids[row - 1] as number)) return false;
  }
  return true;
}

function* blocksOf(readings: SortedReadings): Generator<{ shard: number; block: ShardBlock }> {
  const { rowCount, buckets, shards, keyIds } = readings;
  const lanes = readings.readings.map((column, slot) => {
    const counts = readings.counts[slot] ?? null;
    return { values: lanesOf(column, rowCount), counts: counts && lanesOf(counts, rowCount) };
  });
  let from = 0;
  while (from < rowCount) {
    const [bucket, shard] = [buckets[from] ?? 0, shards[from] ?? 0];
    let to = from + 1;
    while (to < rowCount && buckets[to] === bucket && shards[to] === shard) to += 1;
    const columns = lanes.map((column) => partOf(column, from, to));
    yield { shard, block: { start: bucket, ids: keyIds.subarray(from, to), columns } };
    from = to;
  }
}

function partOf({ values, counts }: BlockColumn, from: number, to: number): BlockColumn {
  const part = ({ low, high }: Lanes): Lanes => ({
    low: low.subarray(from, to),
    high: high?.subarray(from, to) ?? null,
  });
  return { values: part(values), counts: counts && part(counts) };
}

/** A column of which some number is too large for a double is wide as a whole. */
function lanesOf(column: ReadingColumn, rowCount: number): Lanes {
  if (column.large.size === 0) return { low: column.numbers, high: null };
  const lanes = wideLanes(rowCount);
  for (let row = 0; row < rowCount; row += 1) {
    const reading = readingAt(column, row);
    if (reading === null) lanes.low[row] = Number.NaN;
    else setWide(lanes, row, BigInt(reading));
  }
  return lanes;
}
