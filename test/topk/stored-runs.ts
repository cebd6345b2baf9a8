import type { BlockRange, StoredRun } from '../../topk/block-page.ts';
import { packRun } from '../../topk/packed-run.ts';
import { type PlainBlock, shardBlockOf } from './plain-blocks.ts';

/** Where the blocks of a run belong. */
export type RunPlace = {
  readonly groupId: number;
  readonly level: number;
  readonly probeId: number;
  readonly sliceId: number;
  readonly shard: number;
};

export type PlacedRun = RunPlace & { readonly slots: number; readonly blocks: PlainBlock[] };

/** The runs as a read of these ranges gets them: those with a block in it, the wanted slots only. */
export function storedRuns(
  placed: readonly PlacedRun[],
  ranges: readonly BlockRange[],
): StoredRun[] {
  return ranges.flatMap((range, place) =>
    placed
      .filter(
        ({ groupId, level, blocks }) =>
          groupId === range.groupId &&
          level === range.level &&
          (blocks[0]?.start ?? Infinity) < range.to &&
          (blocks.at(-1)?.start ?? -Infinity) >= range.from,
      )
      .map((run) => stored(run, range, place)),
  );
}

function stored(run: PlacedRun, { level, slots }: BlockRange, range: number): StoredRun {
  const { probeId, sliceId, shard } = run;
  const { start, ends, data } = packRun(
    run.blocks.map((block) => shardBlockOf(block, run.slots)),
    level,
    run.slots,
  );
  const parts = slots
    .filter((slot) => slot < ends.length)
    .map((slot) => data.subarray(ends[slot - 1], ends[slot]));
  const values = Uint8Array.from(parts.flatMap((part) => [...part]));
  const keys = data.slice(0, ends[0]);
  return { ...{ range, probeId, sliceId, shard }, ...{ start, ends, keys, values } };
}
