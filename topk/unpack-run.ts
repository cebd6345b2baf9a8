import { type Lanes, narrowLanes, wideLanes } from '../segments/codes/lanes.ts';
import {
  type BlockColumn,
  type BlockPlace,
  blockPlaces,
  type ColumnPlace,
  columnPlaces,
  FLAG,
  readColumn,
  readIds,
  type ShardBlock,
} from './packed-run.ts';

/** A run as a whole, as it is stored. */
export type WholeRun = {
  readonly start: number;
  readonly ends: readonly number[];
  readonly data: Uint8Array;
};

/** All blocks of a run with all their slots; `slots` may be more than there were when it was packed. */
export function unpackRun(
  { start, ends, data }: WholeRun,
  level: number,
  slots: number,
): ShardBlock[] {
  const places = blockPlaces(data.subarray(0, ends[0]), start, level);
  const bySlot = Array.from({ length: slots }, (_, slot) =>
    ends[slot + 1] === undefined ? [] : columnPlaces(data, ends[slot] ?? 0, places.length),
  );
  return places.map((place, i) =>
    unpackBlock(
      data,
      place,
      bySlot.map((columns) => ({ data, place: columns[i] ?? NOTHING })),
    ),
  );
}

/** A block of which the keys and the values of each slot may lie in different places. */
export function unpackBlock(
  keys: Uint8Array,
  { start, keyCount, idsAt }: BlockPlace,
  slots: readonly { readonly data: Uint8Array; readonly place: ColumnPlace }[],
): ShardBlock {
  const ids = new Uint32Array(keyCount);
  readIds(keys, idsAt, keyCount, ids, 0);
  const columns = slots.map(({ data, place }) => unpackColumn(data, place, keyCount));
  return { start, ids, columns };
}

const NOTHING: ColumnPlace = { flags: 0, at: 0 };

function unpackColumn(data: Uint8Array, place: ColumnPlace, keyCount: number): BlockColumn | null {
  if (place.flags === 0) return null;
  const lanes = (wide: number): Lanes =>
    (place.flags & wide) !== 0 ? wideLanes(keyCount) : narrowLanes(keyCount);
  const values = lanes(FLAG.wide);
  const counts = (place.flags & FLAG.counts) !== 0 ? lanes(FLAG.wideCounts) : null;
  readColumn(data, place, keyCount, { values, counts, to: 0 });
  return { values, counts };
}
