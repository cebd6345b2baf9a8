import type { Sliced } from '../../../domain/sliced.ts';
import type { Fold } from '../../../domain/toppers/meter-type.ts';
import type { Lanes } from '../../../segments/codes/lanes.ts';
import { foldInSlices, releaseFolded, type UnitReadings } from '../aggregate/fold-units.ts';
import type { SharedArrays } from '../aggregate/shared-arrays.ts';
import { boundedColumn } from '../aggregate/unit-column.ts';
import { countedRows, releaseRows } from '../select/key-rows.ts';
import { distinctIds } from './distinct-ids.ts';
import type { KeyedColumn } from './group-blocks.ts';

/**
 * Combines blocks of one list of keys into a block of their whole time: the keys with a reading, in
 * ascending order, and their combined readings. The work depends on the number of readings, however
 * many keys the list has.
 */
export function* sumBlocks(
  units: readonly UnitReadings[],
  fold: Fold,
  arrays: SharedArrays,
): Sliced<KeyedColumn> {
  const { distinct, indexes } = distinctIds(joinedIds(units));
  let from = 0;
  const indexed = units.map(({ ids, column, sign }): UnitReadings => {
    const own = indexes.subarray(from, from + ids.length);
    from += ids.length;
    return { ids: own, column, sign };
  });
  const folded = yield* foldInSlices(indexed, fold, distinct.length);
  const counted = countedRows(folded);
  const rows = counted.rows.slice(0, counted.length).sort();
  const ids = arrays.words(rows.length);
  for (let i = 0; i < rows.length; i += 1) ids[i] = distinct[rows[i] as number] as number;
  const values = lanesOf(folded.values, rows, arrays);
  const counts = folded.counts && lanesOf(folded.counts, rows, arrays);
  releaseRows(counted);
  releaseFolded(folded);
  return { ids, column: boundedColumn({ values, counts }) };
}

function joinedIds(units: readonly UnitReadings[]): Uint32Array {
  const all = new Uint32Array(units.reduce((sum, { ids }) => sum + ids.length, 0));
  let to = 0;
  for (const { ids } of units) {
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
