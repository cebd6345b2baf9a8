import { mapSliced, type Sliced } from '../../../domain/sliced.ts';
import { type Fold, isCounting } from '../../../domain/toppers/meter-type.ts';
import type { Lanes } from '../../../segments/codes/lanes.ts';
import { type Folded, foldInSlices, releaseFolded } from '../aggregate/fold-units.ts';
import { SharedArrays } from '../aggregate/shared-arrays.ts';
import { boundedColumn, type UnitColumn } from '../aggregate/unit-column.ts';
import { isCounted } from '../select/key-rows.ts';
import { distinctIds } from './distinct-ids.ts';

/** The keys of a block and their readings of one meter. */
export type KeyedColumn = { readonly ids: Uint32Array; readonly column: UnitColumn };

/** Blocks of one list of keys. map: from the ordinal of a key to that of its network. */
export type BlocksOfList = {
  readonly map: Uint32Array;
  readonly blocks: readonly KeyedColumn[];
};

/**
 * Returns the blocks, in their order, with networks in place of keys: the readings of a network's
 * keys are combined by the meter's rule. As in any other block, ids are ascending and distinct.
 */
export function groupBlocks(fold: Fold, lists: readonly BlocksOfList[]): Sliced<KeyedColumn[][]> {
  const arrays = new SharedArrays();
  return mapSliced(lists, ({ map, blocks }) =>
    mapSliced(blocks, (block) => groupBlock(block, { fold, map, arrays })),
  );
}

type Grouping = { readonly fold: Fold; readonly map: Uint32Array; readonly arrays: SharedArrays };

function* groupBlock(
  { ids, column }: KeyedColumn,
  { fold, map, arrays }: Grouping,
): Sliced<KeyedColumn> {
  const { networks, indexes } = networksOf(ids, map);
  const units = [{ ids: indexes, column, sign: 1 as const }];
  const folded = yield* foldInSlices(units, fold, networks.length);
  const own = arrays.words(networks.length);
  own.set(networks);
  const grouped = { ids: own, column: sharedColumn(folded, networks.length, arrays) };
  releaseFolded(folded);
  return grouped;
}

type NetworksOfRows = {
  /** Ascending. */
  readonly networks: Uint32Array;
  /** By row: the index of its network in `networks`. */
  readonly indexes: Uint32Array;
};

function networksOf(ids: Uint32Array, map: Uint32Array): NetworksOfRows {
  const networks = new Uint32Array(ids.length);
  const indexes = new Uint32Array(ids.length);
  let count = 0;
  let last = -1;
  for (let row = 0; row < ids.length; row += 1) {
    const network = map[ids[row] as number] as number;
    // Addresses of the other family may lie between those of a network.
    if (network < last) return sortedNetworksOf(ids, map);
    if (network > last) {
      networks[count] = network;
      count += 1;
      last = network;
    }
    indexes[row] = count - 1;
  }
  return { networks: networks.subarray(0, count), indexes };
}

function sortedNetworksOf(ids: Uint32Array, map: Uint32Array): NetworksOfRows {
  const { distinct, indexes } = distinctIds(ids.map((id) => map[id] as number));
  return { networks: distinct, indexes };
}

/** Copies a column to shared memory, with NaN for each row without a reading. */
function sharedColumn(folded: Folded, length: number, arrays: SharedArrays): UnitColumn {
  const values = sharedLanes(folded.values, length, arrays);
  const counts = folded.counts && sharedLanes(folded.counts, length, arrays);
  if (!isCounting(folded.fold)) {
    for (let row = 0; row < length; row += 1) {
      if (isCounted(folded, row)) continue;
      values.low[row] = Number.NaN;
      if (values.high) values.high[row] = 0;
    }
  }
  return boundedColumn({ values, counts });
}

function sharedLanes({ low, high }: Lanes, length: number, arrays: SharedArrays): Lanes {
  const copied = (lane: Float64Array): Float64Array => {
    const copy = arrays.doubles(length);
    copy.set(lane.subarray(0, length));
    return copy;
  };
  return { low: copied(low), high: high && copied(high) };
}
