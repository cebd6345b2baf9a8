import type { Fold } from '../../domain/toppers/meter-type.ts';
import type { Lanes } from '../../segments/codes/lanes.ts';
import { foldUnits, releaseFolded, type UnitReadings } from '../fold/fold-units.ts';
import type { SharedArrays } from '../fold/shared-arrays.ts';
import { boundOf } from '../fold/unit-column.ts';
import { countedRows, releaseRows } from '../select/key-rows.ts';
import type { KeyedColumn } from './group-blocks.ts';

/**
 * Combines blocks of one list of keys into a block of their whole time: the keys with a reading, in
 * ascending order, and their combined readings.
 */
export function sumBlocks(
  units: readonly UnitReadings[],
  fold: Fold,
  arrays: SharedArrays,
): KeyedColumn {
  const folded = foldUnits(units, fold);
  const counted = countedRows(folded);
  const ids = arrays.words(counted.length);
  ids.set(counted.rows.subarray(0, counted.length));
  ids.sort();
  const values = lanesOf(folded.values, ids, arrays);
  const counts = folded.counts && lanesOf(folded.counts, ids, arrays);
  releaseRows(counted);
  releaseFolded(folded);
  const countBound = counts === null ? ids.length : boundOf(counts);
  return { ids, column: { values, counts, bound: boundOf(values), countBound } };
}

function lanesOf({ low, high }: Lanes, rows: Uint32Array, arrays: SharedArrays): Lanes {
  const picked = (lane: Float64Array): Float64Array => {
    const own = arrays.doubles(rows.length);
    for (let i = 0; i < rows.length; i += 1) own[i] = lane[rows[i] as number] as number;
    return own;
  };
  return { low: picked(low), high: high && picked(high) };
}
