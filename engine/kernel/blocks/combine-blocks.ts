import { mapSliced, type Sliced } from '../../../domain/sliced.ts';
import { type Aggregate, isCounting } from '../../../domain/toppers/meter-type.ts';
import type { Lanes } from '../../../segments/codes/lanes.ts';
import {
  type Aggregated,
  aggregateInSlices,
  type BlockColumn,
  type BlockReadings,
  boundedColumn,
  releaseAggregated,
} from '../aggregate/aggregate-blocks.ts';
import { SharedArrays } from '../aggregate/shared-arrays.ts';
import { countedRows, isCounted, releaseRows } from '../select/key-rows.ts';

/** The keys of a block and their readings of one meter. */
export type KeyedColumn = { readonly ids: Uint32Array; readonly column: BlockColumn };

/** Blocks of one list of keys. map: from the ordinal of a key to that of its network. */
export type BlocksOfList = {
  readonly map: Uint32Array;
  readonly blocks: readonly KeyedColumn[];
};

/**
 * Returns the blocks, in their order, with networks in place of keys: the readings of a network's
 * keys are combined by the meter's rule. As in any other block, ids are ascending and distinct.
 */
export function groupBlocks(
  aggregate: Aggregate,
  lists: readonly BlocksOfList[],
): Sliced<KeyedColumn[][]> {
  const arrays = new SharedArrays();
  return mapSliced(lists, ({ map, blocks }) =>
    mapSliced(blocks, (block) => groupBlock(block, { aggregate, map, arrays })),
  );
}

type Grouping = {
  readonly aggregate: Aggregate;
  readonly map: Uint32Array;
  readonly arrays: SharedArrays;
};

function* groupBlock(
  { ids, column }: KeyedColumn,
  { aggregate, map, arrays }: Grouping,
): Sliced<KeyedColumn> {
  const { networks, indexes } = networksOf(ids, map);
  const blocks = [{ ids: indexes, column, sign: 1 as const }];
  const aggregated = yield* aggregateInSlices(blocks, aggregate, networks.length);
  const own = arrays.words(networks.length);
  own.set(networks);
  const grouped = { ids: own, column: sharedColumn(aggregated, networks.length, arrays) };
  releaseAggregated(aggregated);
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
function sharedColumn(aggregated: Aggregated, length: number, arrays: SharedArrays): BlockColumn {
  const values = sharedLanes(aggregated.values, length, arrays);
  const counts = aggregated.counts && sharedLanes(aggregated.counts, length, arrays);
  if (!isCounting(aggregated.aggregate)) {
    for (let row = 0; row < length; row += 1) {
      if (isCounted(aggregated, row)) continue;
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

/**
 * Combines blocks of one list of keys into a block of their whole time: the keys with a reading, in
 * ascending order, and their combined readings. The work depends on the number of readings, however
 * many keys the list has.
 */
export function* sumBlocks(
  blocks: readonly BlockReadings[],
  aggregate: Aggregate,
  arrays: SharedArrays,
): Sliced<KeyedColumn> {
  const { distinct, indexes } = distinctIds(joinedIds(blocks));
  let from = 0;
  const indexed = blocks.map(({ ids, column, sign }): BlockReadings => {
    const own = indexes.subarray(from, from + ids.length);
    from += ids.length;
    return { ids: own, column, sign };
  });
  const aggregated = yield* aggregateInSlices(indexed, aggregate, distinct.length);
  const counted = countedRows(aggregated);
  const rows = counted.rows.slice(0, counted.length).sort();
  const ids = arrays.words(rows.length);
  for (let i = 0; i < rows.length; i += 1) ids[i] = distinct[rows[i] as number] as number;
  const values = lanesOf(aggregated.values, rows, arrays);
  const counts = aggregated.counts && lanesOf(aggregated.counts, rows, arrays);
  releaseRows(counted);
  releaseAggregated(aggregated);
  return { ids, column: boundedColumn({ values, counts }) };
}

function joinedIds(blocks: readonly BlockReadings[]): Uint32Array {
  const all = new Uint32Array(blocks.reduce((sum, { ids }) => sum + ids.length, 0));
  let to = 0;
  for (const { ids } of blocks) {
    all.set(ids, to);
    to += ids.length;
  }
  return all;
}

function lanesOf({ low, high }: Lanes, rows: Uint32Array, arrays: SharedArrays): Lanes {
  const picked = (lane: Float64Array): Float64Array => {
    const own = arrays.doubles(rows.length);
    for (let i = 0; i < rows.length; i += 1) own[i] = lane[rows[i] as number] as number;
    return own;
  };
  return { low: picked(low), high: high && picked(high) };
}

/** Distinct ids, ascending, and the index of each given id among them. */
type DistinctIds = { readonly distinct: Uint32Array; readonly indexes: Uint32Array };

/** By id: its index. Entries left by earlier calls are not read. */
let indexOf = new Uint32Array(0);

function distinctIds(all: Uint32Array): DistinctIds {
  const sorted = all.slice().sort();
  let count = 0;
  for (let i = 0; i < sorted.length; i += 1) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    sorted[count] = sorted[i] as number;
    count += 1;
  }
  const distinct = sorted.subarray(0, count);
  const max = distinct.at(-1) ?? 0;
  if (indexOf.length <= max) indexOf = new Uint32Array(max + 1);
  for (let index = 0; index < count; index += 1) indexOf[distinct[index] as number] = index;
  return { distinct, indexes: all.map((id) => indexOf[id] as number) };
}
