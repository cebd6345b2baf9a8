import type { RunRow } from '../../db/write/packed-runs.ts';
import { isWide, type Lanes } from '../../segments/codes/lanes.ts';
import {
  type BlockPlace,
  blockPlaces,
  columnPlaces,
  packRun,
  type ShardBlock,
} from '../../topk/packed-run.ts';
import { unpackBlock } from '../../topk/unpack-run.ts';

/** The blocks that part 0 of a run names. Errors: it cannot be read, or contradicts its row. */
export function checkPlaces({ start, last, ends, data }: RunRow, level: number): BlockPlace[] {
  const isAscending = ends.every((end, i) => end >= (ends[i - 1] ?? 0));
  if (!isAscending || ends.at(-1) !== data.length) throw new Error('its parts end elsewhere');
  const part = data.subarray(0, ends[0]);
  const places = blockPlaces(part, start, level);
  for (const [i, place] of places.entries()) {
    const before = places[i - 1]?.start ?? Number.NEGATIVE_INFINITY;
    if (!Number.isSafeInteger(place.start) || place.start <= before) {
      throw new Error('its blocks are not in order');
    }
    // A bitmap has eight keys a byte: more of them would only take memory.
    if (place.keyCount > part.length * 8) throw new Error('it is too short for its keys');
  }
  if (places.at(-1)?.start !== last) throw new Error(`its last block is not at ${last}`);
  return places;
}

/**
 * A run unpacked part by part, as queries read it, and compared with what packing it again gives:
 * the packed form is canonical, so a byte that is not as it was written shows even where it changes
 * no number. Errors: it is not what was written.
 */
export function checkRun(run: RunRow, level: number, slots: number): ShardBlock[] {
  const { ends, data } = run;
  if (ends.length > slots + 1) throw new Error('it has more meters than the group');
  const places = checkPlaces(run, level);
  const keys = data.subarray(0, ends[0]);
  const parts = ends.slice(1).map((end, slot) => {
    const part = data.subarray(ends[slot], end);
    return { part, columns: columnPlaces(part, 0, places.length) };
  });
  const blocks = places.map((place, i) => {
    const columns = parts.map(({ part, columns: all }) => ({
      data: part,
      place: columnOf(all, i),
    }));
    return unpackBlock(keys, place, columns);
  });
  for (const block of blocks) checkNumbers(block);
  const again = packRun(blocks, level, ends.length - 1);
  if (!isSame(again.ends, ends) || Buffer.compare(again.data, data) !== 0) {
    throw new Error('it is not what was written');
  }
  return blocks;
}

function columnOf(columns: ReturnType<typeof columnPlaces>, i: number) {
  const column = columns[i];
  if (!column) throw new Error('it has fewer readings than blocks');
  return column;
}

function checkNumbers({ ids, columns }: ShardBlock): void {
  for (let row = 1; row < ids.length; row += 1) {
    if ((ids[row] as number) <= (ids[row - 1] as number)) throw new Error('keys are out of order');
  }
  for (const column of columns) {
    if (!column) continue;
    checkLanes(column.values);
    if (column.counts) checkLanes(column.counts);
  }
}

function checkLanes(lanes: Lanes): void {
  for (let row = 0; row < lanes.low.length; row += 1) {
    const low = lanes.low[row] as number;
    if (Number.isNaN(low)) continue;
    if (!Number.isSafeInteger(low) || (isWide(lanes) && !Number.isSafeInteger(lanes.high[row]))) {
      throw new Error('it has a number that is too large');
    }
  }
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);
