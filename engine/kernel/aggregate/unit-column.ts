import type { Column } from '../../../segments/codes/column.ts';
import { approximate, type Lanes } from '../../../segments/codes/lanes.ts';

/** The readings of a slot, by key. bound: an upper bound of the sum of their magnitudes. */
export type UnitColumn = {
  readonly values: Lanes;
  readonly counts: Lanes | null;
  readonly bound: number;
  readonly countBound: number;
};

export const boundedColumn = ({ values, counts }: Column): UnitColumn => ({
  values,
  counts,
  bound: boundOf(values),
  countBound: counts === null ? values.low.length : boundOf(counts),
});

/** Compensates for rounding, which reduces a sum of n doubles by less, for n up to 2^40. */
const ROUNDING = 1 + 2 ** -12;

/** Returns an upper bound of the sum of the numbers' magnitudes; exact as long as it is < 2^52. */
export function boundOf(lanes: Lanes): number {
  let bound = 0;
  if (lanes.high === null) {
    const { low } = lanes;
    for (let row = 0; row < low.length; row += 1) {
      const value = Math.abs(low[row] ?? 0);
      // False for NaN, which means no reading.
      if (value > 0) bound += value;
    }
    return bound < 2 ** 52 ? bound : bound * ROUNDING;
  }
  for (let row = 0; row < lanes.low.length; row += 1) {
    const value = Math.abs(approximate(lanes, row));
    if (value > 0) bound += value;
  }
  return bound * ROUNDING;
}
