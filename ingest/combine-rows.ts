import type { Fold } from '../domain/meter-type.ts';
import { readingAt } from '../packing/reading-at.ts';
import { ReadingRows } from './reading-rows.ts';

/** Places of an order: `from` is among them, `to` is not. */
export type Places = { readonly from: number; readonly to: number };

/**
 * The rows at some places of `order`, in which those of the same bucket and key are neighbours:
 * neighbours are combined by their meters' rules (decision 23).
 *
 * A combination that no reading can hold (±(2^63−1), decision 8) is not made: both rows are kept,
 * next to each other. They combine when they are read, where sums have no bounds: nothing is lost.
 */
export function combineRows(
  source: ReadingRows,
  order: Uint32Array,
  { from, to }: Places,
): ReadingRows {
  const target = new ReadingRows(source.keys, to - from);
  let last = -1;
  for (let place = from; place < to; place += 1) {
    const row = order[place] ?? 0;
    const bucket = source.buckets[row] ?? 0;
    const keyIndex = source.keyIndexes[row] ?? 0;
    const isSame =
      last >= 0 && target.buckets[last] === bucket && target.keyIndexes[last] === keyIndex;
    if (isSame && combine({ target, last, source, row })) continue;
    last = target.addRow(bucket, keyIndex);
    target.copyValues(last, source, row);
  }
  return target;
}

/** Row `last` of `target`, and row `row` of `source`, which is to be combined with it. */
type RowPair = {
  readonly target: ReadingRows;
  readonly last: number;
  readonly source: ReadingRows;
  readonly row: number;
};

const isExtreme = (fold: Fold | null | undefined): fold is 'max' | 'min' =>
  fold === 'max' || fold === 'min';

/** Whether one row can hold the combination. */
function fits({ target, last, source, row }: RowPair): boolean {
  const { folds } = source.keys.group;
  for (let i = 0; i < folds.length; i += 1) {
    const into = target.readings[i];
    const reading = source.readings[i];
    if (isExtreme(folds[i]) || !into?.has(last) || !reading?.has(row)) continue;
    if (!into.canAdd(last, reading, row)) return false;
    const count = source.counts[i];
    if (count && !target.counts[i]?.canAdd(last, count, row)) return false;
  }
  return true;
}

/** Combines both in the first; false when one row cannot hold that, and nothing was done. */
function combine(pair: RowPair): boolean {
  if (!fits(pair)) return false;
  const { target, last, source, row } = pair;
  const { folds } = source.keys.group;
  for (let i = 0; i < folds.length; i += 1) {
    const fold = folds[i];
    const into = target.readings[i];
    const reading = source.readings[i];
    if (!into || !reading?.has(row)) continue;
    const count = source.counts[i];
    if (!into.has(last)) {
      into.copy(last, reading, row);
      if (count) target.counts[i]?.copy(last, count, row);
    } else if (isExtreme(fold)) {
      into.keepExtreme(fold, last, readingAt(reading, row));
    } else {
      into.add(last, reading, row);
      if (count) target.counts[i]?.add(last, count, row);
    }
  }
  return true;
}
