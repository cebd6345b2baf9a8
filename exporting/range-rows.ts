import { type Column, hasReading } from '../segments/codes/column.ts';
import { type Lanes, laneValue } from '../segments/codes/lanes.ts';
import type { KeyCodec } from '../segments/keys/key-codec.ts';
import { keyAt } from '../segments/keys/key-list.ts';
import type { KeyRange } from '../segments/readings/key-range.ts';
import { bucketRows } from '../segments/readings/readings.ts';
import type { SegmentShape } from '../segments/shape.ts';
import type { Integer, ReadingRow } from './reading-source.ts';

/** A row whose texts are not loaded yet, and the ordinal of its key in the range. */
export type RangeRow = Omit<ReadingRow, 'texts'> & { readonly ordinal: number };

/** Settings for reading the rows of ranges: only buckets that start in [from, to). */
export type RowReading = {
  readonly codec: KeyCodec;
  readonly folds: SegmentShape['folds'];
  readonly from: number;
  readonly to: number;
};

/** Yields the rows of a range in time order, skipping rows without a reading. */
export function* rangeRows(
  { keys, readings }: KeyRange,
  { codec, folds, from, to }: RowReading,
): Generator<RangeRow> {
  // Each key is decoded once, not once per row.
  const texts: string[] = [];
  for (const [i, bucket] of readings.starts.entries()) {
    if (bucket < from || bucket >= to) continue;
    const rows = bucketRows(readings, i);
    for (let row = rows.from; row < rows.to; row += 1) {
      const ordinal = readings.ordinals[row] as number;
      const values = folds.map((_, place) => readingOf(readings.columns[place] ?? null, row));
      if (values.every((value) => value === null)) continue;
      const counts = folds.map((fold, place) =>
        fold === 'mean' ? countOf(readings.columns[place] ?? null, row) : null,
      );
      const key = texts[ordinal] ?? codec.decode(keyAt(keys, ordinal));
      texts[ordinal] = key;
      yield { ordinal, key, bucket, readings: values, counts };
    }
  }
}

const readingOf = (column: Column | null, row: number): Integer | null =>
  column && hasReading(column, row) ? integerOf(column.values, row) : null;

function countOf(column: Column | null, row: number): Integer | null {
  if (!column || !hasReading(column, row)) return null;
  return column.counts === null ? 1 : integerOf(column.counts, row);
}

function integerOf(lanes: Lanes, row: number): Integer {
  if (lanes.high === null) return lanes.low[row] as number;
  const value = laneValue(lanes, row);
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) ? rounded : value;
}
