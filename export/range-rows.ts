import { type Column, hasReading } from '../segments/codes/column.ts';
import { type Lanes, laneValue } from '../segments/codes/lanes.ts';
import type { KeyCodec } from '../segments/keys/key-codec.ts';
import { keyAt } from '../segments/keys/key-list.ts';
import type { KeyRange } from '../segments/readings/key-range.ts';
import { keyRows } from '../segments/readings/readings.ts';
import type { SegmentShape } from '../segments/shape.ts';
import type { Integer, ReadingRow } from './reading-source.ts';

/** A row whose texts are not loaded yet, and the ordinal of its key in the range. */
export type RangeRow = Omit<ReadingRow, 'texts'> & { readonly ordinal: number };

/** Settings for reading the rows of ranges: only buckets that start in [from, to). */
export type RowReading = {
  readonly codec: KeyCodec;
  readonly aggregates: SegmentShape['aggregates'];
  readonly from: number;
  readonly to: number;
};

/** Yields the rows of a range by key, then by bucket, skipping rows without a reading. */
export function* rangeRows(
  { keys, readings }: KeyRange,
  { codec, aggregates, from, to }: RowReading,
): Generator<RangeRow> {
  for (let ordinal = 0; ordinal < keys.count; ordinal += 1) {
    const rows = keyRows(readings, ordinal);
    const key = codec.decode(keyAt(keys, ordinal));
    for (let row = rows.from; row < rows.to; row += 1) {
      const bucket = readings.starts[row] as number;
      if (bucket < from || bucket >= to) continue;
      const values = aggregates.map((_, place) => readingOf(readings.columns[place] ?? null, row));
      if (values.every((value) => value === null)) continue;
      const counts = aggregates.map((aggregate, place) =>
        aggregate === 'mean' ? countOf(readings.columns[place] ?? null, row) : null,
      );
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
