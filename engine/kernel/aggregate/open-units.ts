import type { Sliced } from '../../../domain/sliced.ts';
import { type Fold, isCounting } from '../../../domain/toppers/meter-type.ts';
import { isWide, NARROW_BOUND } from '../../../segments/codes/lanes.ts';
import { type Folded, foldInSlices, type UnitReadings } from './fold-units.ts';

/** Combines blocks into one result that questions can be answered from. */
export function* openUnits(units: readonly UnitReadings[], fold: Fold): Sliced<Folded> {
  return asListed(units, fold) ?? (yield* foldInSlices(units, fold));
}

/** Whether questions can be answered from the block itself, at a third of the cost of adding up. */
export function isListed(units: readonly UnitReadings[], fold: Fold): boolean {
  const [unit, ...others] = units;
  if (unit?.sign !== 1 || others.length > 0 || !isCounting(fold)) return false;
  return !isWide(unit.column.values) && unit.column.bound < NARROW_BOUND;
}

/** A single block of a counter need not be added up: its rows are the keys that it lists. */
function asListed(units: readonly UnitReadings[], fold: Fold): Folded | null {
  const [unit] = units;
  if (!unit || !isListed(units, fold)) return null;
  const { ids, column } = unit;
  return { fold, listed: ids, values: column.values, counts: null, touched: null };
}
