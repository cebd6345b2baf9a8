import { type PackedRun, packRun, type ShardBlock } from './packed-run.ts';

/**
 * A run is closed once it holds this many ids and values: some 30 kB. Large enough that small
 * groups take few rows, small enough that a late reading rewrites little and a read takes little
 * too much.
 */
const RUN_NUMBERS = 12_000;

export type RunSpace = {
  /** Seconds of a block, or 1 for pages of keys. */
  readonly level: number;
  /** Starts of the blocks that share a run lie within one of these; Infinity: all may. */
  readonly within: number;
  readonly slots: number;
};

/**
 * Packs blocks, ascending by start, into as few runs as their sizes allow. `kept`: the starts,
 * ascending, of runs that are stored already and stay. No run reaches beyond one of these: of runs
 * that overlapped, the block of a start could not be found by where they begin.
 */
export function packRuns(
  blocks: readonly ShardBlock[],
  space: RunSpace,
  kept: readonly number[] = [],
): PackedRun[] {
  const runs: PackedRun[] = [];
  let open: ShardBlock[] = [];
  let numbers = 0;
  let keptBefore = 0;
  const close = () => {
    if (open.length > 0) runs.push(packRun(open, space.level, space.slots));
    open = [];
    numbers = 0;
  };
  for (const block of blocks) {
    const own = block.ids.length * (1 + space.slots);
    const passed = keptBefore;
    while ((kept[keptBefore] ?? Infinity) < block.start) keptBefore += 1;
    const isApart = open[0] && !shareRun(open[0].start, block.start, space.within);
    if (isApart || keptBefore > passed || (numbers > 0 && numbers + own > RUN_NUMBERS)) close();
    open.push(block);
    numbers += own;
  }
  close();
  return runs;
}

const shareRun = (a: number, b: number, within: number): boolean =>
  within === Number.POSITIVE_INFINITY || Math.floor(a / within) === Math.floor(b / within);

/** A run that is stored already, without its data. */
export type RunPlace = { readonly start: number; readonly last: number; readonly bytes: number };

/** Beyond it a block that follows a run gets one of its own instead of having it rewritten. */
const FULL_BYTES = 24_000;

/**
 * Which of the stored runs of a shard have to be packed anew because blocks of these starts come to
 * them: those that have such a block, and those that one can be appended to. `places` ascend.
 */
export function runsToRewrite<Place extends RunPlace>(
  places: readonly Place[],
  starts: readonly number[],
  within: number,
): Place[] {
  const rewritten = new Set<Place>();
  for (const start of starts) {
    const before = lastBeginning(places, start);
    if (!before) continue;
    const isInside = start <= before.last;
    const isAppended = before.bytes < FULL_BYTES && shareRun(before.start, start, within);
    if (isInside || isAppended) rewritten.add(before);
  }
  return [...rewritten];
}

/** The last place that does not begin after `start`. */
function lastBeginning<Place extends RunPlace>(
  places: readonly Place[],
  start: number,
): Place | undefined {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.start ?? Infinity) <= start) low = middle + 1;
    else high = middle;
  }
  return places[low - 1];
}
