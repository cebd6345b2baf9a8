import { type Fold, isCounting } from '../../domain/toppers/meter-type.ts';
import { isWide, NARROW_BOUND } from '../../segments/codes/lanes.ts';
import { type Folded, foldUnits, type UnitReadings } from './fold-units.ts';

/** Blocks as one, to be asked questions. */
export const openUnits = (units: readonly UnitReadings[], fold: Fold): Folded =>
  asListed(units, fold) ?? foldUnits(units, fold);

/** Whether a block can be asked as it is: it costs a third of adding it up. */
export function isListed(units: readonly UnitReadings[], fold: Fold): boolean {
  const [unit, ...others] = units;
  if (unit?.sign !== 1 || others.length > 0 || !isCounting(fold)) return false;
  return !isWide(unit.column.values) && unit.column.bound < NARROW_BOUND;
}

/** One block of a counter needs no adding up: its rows are the keys that it lists. */
function asListed(units: readonly UnitReadings[], fold: Fold): Folded | null {
  const [unit] = units;
  if (!unit || !isListed(units, fold)) return null;
  const { ids, column } = unit;
  return { fold, listed: ids, values: column.values, counts: null, touched: null };
}
