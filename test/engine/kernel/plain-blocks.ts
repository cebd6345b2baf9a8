import type { Exact } from '../../../domain/toppers/exact.ts';
import { type Aggregate, isCounting } from '../../../domain/toppers/meter-type.ts';
import type { Column } from '../../../segments/codes/column.ts';
import { type Lanes, laneValue, setWide, wideLanes } from '../../../segments/codes/lanes.ts';

/** The reading of a key in one slot: a value and the number of readings behind it; null: none. */
export type PlainReading = Exact | null;

const NARROW = 2n ** 53n;

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

/** Numbers as lanes, which are wide if one of them needs it; null becomes NaN. */
export function lanesOf(values: readonly (bigint | null)[]): Lanes {
  if (!values.some((value) => value !== null && magnitude(value) >= NARROW)) {
    return {
      low: Float64Array.from(values, (v) => (v === null ? Number.NaN : Number(v))),
      high: null,
    };
  }
  const lanes = wideLanes(values.length);
  for (const [row, value] of values.entries()) {
    if (value === null) lanes.low[row] = Number.NaN;
    else setWide(lanes, row, value);
  }
  return lanes;
}

/** Omits counts if all are 1, as the code that makes blocks does. */
export function columnOf(readings: readonly PlainReading[]): Column | null {
  if (readings.every((reading) => reading === null)) return null;
  const values = lanesOf(readings.map((reading) => reading?.sum ?? null));
  const isCounted = readings.some((reading) => reading !== null && reading.count !== 1n);
  const counts = isCounted ? lanesOf(readings.map((reading) => reading?.count ?? 0n)) : null;
  return { values, counts };
}

export function readingAt({ values, counts }: Column, row: number): PlainReading {
  if (Number.isNaN(values.low[row])) return null;
  return { sum: laneValue(values, row), count: counts ? laneValue(counts, row) : 1n };
}

/** Whether a reading counts: a zero of a counter does not (decision 24). */
export const isSaid = (reading: PlainReading, aggregate: Aggregate): reading is Exact =>
  reading !== null && !(isCounting(aggregate) && reading.sum === 0n);

/** Combines two readings of a meter (decision 23). */
export function combineTwo(a: PlainReading, b: PlainReading, aggregate: Aggregate): PlainReading {
  if (a === null || b === null) return a ?? b;
  switch (aggregate) {
    case 'sum':
    case 'rate':
      return { sum: a.sum + b.sum, count: 1n };
    case 'mean':
      return { sum: a.sum + b.sum, count: a.count + b.count };
    case 'max':
      return a.sum > b.sum ? a : b;
    case 'min':
      return a.sum < b.sum ? a : b;
  }
}
