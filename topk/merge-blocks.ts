import { type Fold, isCounting } from '../domain/meter-type.ts';
import { isWide, type Lanes, narrowLanes, wideLanes } from '../segments/codes/lanes.ts';
import { type Folded, foldUnits, releaseFolded } from './fold-units.ts';
import type { BlockColumn, ShardBlock } from './packed-run.ts';
import { boundOf } from './unit-column.ts';

/** The meters of a group by slot − 1; null: a meter that takes no readings. */
export type SlotFolds = readonly (Fold | null)[];

/** Blocks of one shard as one, by the meters' rules. Keys of which nothing counts are left out. */
export function mergeBlocks(
  start: number,
  blocks: readonly Pick<ShardBlock, 'ids' | 'columns'>[],
  folds: SlotFolds,
): ShardBlock {
  const folded = folds.map((fold, place) => (fold ? foldSlot(blocks, place, fold) : null));
  const ids = presentKeys(folded);
  const columns = folded.map((each) => each && pickRows(each, ids));
  for (const each of folded) if (each) releaseFolded(each);
  return { start, ids, columns };
}

/** null: no reading of the slot. */
function foldSlot(
  blocks: readonly Pick<ShardBlock, 'ids' | 'columns'>[],
  place: number,
  fold: Fold,
): Folded | null {
  const units = blocks.flatMap(({ ids, columns }) => {
    const readings = columns[place];
    if (!readings) return [];
    const { values, counts } = readings;
    const bound = boundOf(values);
    const countBound = counts ? boundOf(counts) : ids.length;
    const column = { values, counts, bound, countBound };
    return [{ ids, shardEnds: Uint32Array.of(ids.length), column, sign: 1 as const }];
  });
  return units.length === 0 ? null : foldUnits(units, fold);
}

/** The keys of which a slot has a reading that counts, ascending. */
function presentKeys(folded: readonly (Folded | null)[]): Uint32Array {
  const size = folded.reduce((most, each) => Math.max(most, each?.values.low.length ?? 0), 0);
  const marks = new Uint8Array(size);
  for (const each of folded) if (each) markPresent(each, marks);
  const ids = new Uint32Array(size);
  let length = 0;
  for (let key = 0; key < size; key += 1) {
    ids[length] = key;
    length += marks[key] as number;
  }
  return ids.slice(0, length);
}

function markPresent({ fold, values, counts }: Folded, marks: Uint8Array): void {
  // A counter that is 0 counts as none, a mean without readings is none.
  const { low, high } = counts ?? values;
  if (fold === 'max' || fold === 'min') {
    for (let key = 0; key < low.length; key += 1) if (Number.isFinite(low[key])) marks[key] = 1;
    return;
  }
  for (let key = 0; key < low.length; key += 1) {
    if (low[key] !== 0 || (high !== null && high[key] !== 0)) marks[key] = 1;
  }
}

/** Nothing is 0 for a counter and NaN, "no number", for other meters. */
function pickRows({ values, counts, fold }: Folded, ids: Uint32Array): BlockColumn {
  const picked = pickLanes(values, ids, isCounting(fold) ? 0 : Number.NaN);
  const pickedCounts = counts && pickLanes(counts, ids, 0);
  if (!isCounting(fold)) {
    for (let row = 0; row < ids.length; row += 1) {
      const isThere = pickedCounts
        ? pickedCounts.low[row] !== 0 || (pickedCounts.high?.[row] ?? 0) !== 0
        : Number.isFinite(picked.low[row]);
      if (!isThere) picked.low[row] = Number.NaN;
    }
  }
  return { values: picked, counts: pickedCounts };
}

/** `missing`: what keys beyond the end have, which have readings of other slots only. */
function pickLanes({ low, high }: Lanes, ids: Uint32Array, missing: number): Lanes {
  const picked: Lanes = isWide({ low, high }) ? wideLanes(ids.length) : narrowLanes(ids.length);
  for (let row = 0; row < ids.length; row += 1) {
    const key = ids[row] as number;
    picked.low[row] = low[key] ?? missing;
    if (picked.high !== null && high !== null) picked.high[row] = high[key] ?? 0;
  }
  return picked;
}
