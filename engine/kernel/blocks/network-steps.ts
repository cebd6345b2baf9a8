import type { Network } from '../../../domain/keys/address-forms.ts';
import { mapSliced, type Sliced } from '../../../domain/sliced.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { type Column, pickRows } from '../../../segments/codes/column.ts';
import { hasKey, type KeySet } from '../../../segments/filter/key-set.ts';
import { type KeyList, keyStart, networkRange } from '../../../segments/keys/key-list.ts';
import {
  aggregateInSlices,
  type BlockColumn,
  type BlockReadings,
  releaseAggregated,
} from '../aggregate/aggregate-blocks.ts';
import { countedRows, releaseRows } from '../select/key-rows.ts';
import type { KeyedColumn } from './combine-blocks.ts';

/** A block of addresses that lies in one step. step: the index of the step. */
type BlockOfStep = KeyedColumn & { readonly step: number };

/** Blocks whose ids are ordinals of addresses in `keys`. */
type StepsOfList = { readonly keys: KeyList; readonly blocks: readonly BlockOfStep[] };

export type NetworkStepsQuestion = {
  readonly aggregate: Aggregate;
  /** Networks that do not overlap. */
  readonly networks: readonly Network[];
  readonly stepCount: number;
  readonly lists: readonly StepsOfList[];
};

/** The steps with readings, ascending, and the combined readings in them. */
export type NetworkSteps = { readonly steps: Uint32Array; readonly column: Column };

/** Blocks of one list of keys. map: from its ordinals to those of `passing`; null: the same. */
export type PassingList = {
  readonly map: Uint32Array | null;
  readonly blocks: readonly BlockOfStep[];
};

export type PassingStepsQuestion = {
  readonly aggregate: Aggregate;
  /** Which keys count; null: all. */
  readonly passing: KeySet | null;
  readonly stepCount: number;
  readonly lists: readonly PassingList[];
};

export type StepSumsQuestion = NetworkStepsQuestion | PassingStepsQuestion;

/**
 * Returns the combined readings by step: of each network, in their order, or of all keys that pass
 * together.
 */
export const aggregateSteps = (question: StepSumsQuestion): Sliced<NetworkSteps[]> =>
  'networks' in question ? aggregateNetworks(question) : aggregatePassing(question);

function* aggregateNetworks(question: NetworkStepsQuestion): Sliced<NetworkSteps[]> {
  const { aggregate, networks, stepCount, lists } = question;
  const blocks = yield* mapSliced(lists, (list) => blocksOfNetworks(list, question));
  const { rows, column } = yield* addUp(blocks.flat(), aggregate, networks.length * stepCount);
  let from = 0;
  return networks.map((_, network) => {
    let to = from;
    while (to < rows.length && (rows[to] as number) < (network + 1) * stepCount) to += 1;
    const own = Uint32Array.from({ length: to - from }, (_each, i) => from + i);
    const steps = rows.slice(from, to).map((row) => row - network * stepCount);
    from = to;
    return { steps, column: pickRows(column, own) };
  });
}

function* aggregatePassing(question: PassingStepsQuestion): Sliced<NetworkSteps[]> {
  const { aggregate, passing, stepCount, lists } = question;
  const blocks = yield* mapSliced(lists, (list) => blocksOfPassing(list, passing));
  const { rows, column } = yield* addUp(blocks.flat(), aggregate, stepCount);
  return [{ steps: rows, column }];
}

type AddedUp = { readonly rows: Uint32Array; readonly column: Column };

/** Returns the ids with readings, ascending, and their combined readings. */
function* addUp(
  blocks: readonly BlockReadings[],
  aggregate: Aggregate,
  idCount: number,
): Sliced<AddedUp> {
  const aggregated = yield* aggregateInSlices(blocks, aggregate, idCount);
  const counted = countedRows(aggregated);
  const found = counted.rows.slice(0, counted.length);
  // Rows are in ascending order already, unless they were taken from `touched`.
  const rows = aggregated.touched === null ? found : found.sort();
  const column = pickRows(aggregated, rows);
  releaseRows(counted);
  releaseAggregated(aggregated);
  return { rows, column };
}

/** Returns the readings of the networks, with an id for each pair of network and step. */
function* blocksOfNetworks(
  { keys, blocks }: StepsOfList,
  { networks, stepCount }: NetworkStepsQuestion,
): Sliced<BlockReadings[]> {
  const networkOf = networksOf(keys, networks);
  const added: BlockReadings[] = [];
  for (const { step, ids, column } of blocks) {
    yield;
    const rows = new Uint32Array(ids.length);
    const stepIds = new Uint32Array(ids.length);
    let count = 0;
    for (let row = 0; row < ids.length; row += 1) {
      const network = networkOf[ids[row] as number] as number;
      if (network < 0) continue;
      rows[count] = row;
      stepIds[count] = network * stepCount + step;
      count += 1;
    }
    if (count === 0) continue;
    added.push(readingsOf(column, rows.subarray(0, count), stepIds.subarray(0, count)));
  }
  return added;
}

/** Returns the readings of the keys that pass, with the step as the id of each. */
function* blocksOfPassing(
  { map, blocks }: PassingList,
  passing: KeySet | null,
): Sliced<BlockReadings[]> {
  const added: BlockReadings[] = [];
  for (const { step, ids, column } of blocks) {
    yield;
    const rows = new Uint32Array(ids.length);
    let count = 0;
    for (let row = 0; row < ids.length; row += 1) {
      const id = ids[row] as number;
      if (passing !== null && !hasKey(passing, map === null ? id : (map[id] as number))) continue;
      rows[count] = row;
      count += 1;
    }
    if (count === 0) continue;
    added.push(readingsOf(column, rows.subarray(0, count), new Uint32Array(count).fill(step)));
  }
  return added;
}

/** Returns the readings in some rows, with an id for each. */
function readingsOf(column: BlockColumn, rows: Uint32Array, ids: Uint32Array): BlockReadings {
  const { bound, countBound } = column;
  const { values, counts } =
    rows.length === column.values.low.length ? column : pickRows(column, rows);
  return { ids, column: { values, counts, bound, countBound }, sign: 1 };
}

/** Returns, by ordinal of an address, the index of the network that contains it; −1: none. */
function networksOf(keys: KeyList, networks: readonly Network[]): Int32Array {
  const networkOf = new Int32Array(keys.count).fill(-1);
  for (const [index, { bytes, prefix }] of networks.entries()) {
    const { from, to } = networkRange(keys, Uint8Array.from(bytes), prefix);
    for (let i = from; i < to; i += 1) {
      // Addresses of the other family may begin with the same bits.
      const length = (keys.ends[i] as number) - keyStart(keys, i);
      if (length === bytes.length) networkOf[i] = index;
    }
  }
  return networkOf;
}
