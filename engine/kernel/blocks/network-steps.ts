import type { Network } from '../../../domain/keys/address-forms.ts';
import { mapSliced, type Sliced } from '../../../domain/sliced.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { type Column, pickRows } from '../../../segments/codes/column.ts';
import { type KeyList, keyStart, networkRange } from '../../../segments/keys/key-list.ts';
import {
  aggregateInSlices,
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

/** The steps in which a network has readings, ascending, and its combined readings in them. */
export type NetworkSteps = { readonly steps: Uint32Array; readonly column: Column };

/** Returns the combined readings of each network by step, in the order of the networks. */
export function* aggregateNetworkSteps(question: NetworkStepsQuestion): Sliced<NetworkSteps[]> {
  const { aggregate, networks, stepCount, lists } = question;
  const blocks = yield* mapSliced(lists, (list) => blocksToAdd(list, question));
  const aggregated = yield* aggregateInSlices(
    blocks.flat(),
    aggregate,
    networks.length * stepCount,
  );
  const counted = countedRows(aggregated);
  const found = counted.rows.slice(0, counted.length);
  // Rows are in ascending order already, unless they were taken from `touched`.
  const rows = aggregated.touched === null ? found : found.sort();
  const column = pickRows(aggregated, rows);
  releaseRows(counted);
  releaseAggregated(aggregated);
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

/** Returns the readings of the networks, with an id for each pair of network and step. */
function* blocksToAdd(
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
    const { bound, countBound } = column;
    const own = count === ids.length ? column : pickRows(column, rows.subarray(0, count));
    const { values, counts } = own;
    const combined = { values, counts, bound, countBound };
    added.push({ ids: stepIds.subarray(0, count), column: combined, sign: 1 });
  }
  return added;
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
