import { compareExact, type Exact, NO_READING } from '../../domain/toppers/exact.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import { nearestRank, ZERO } from '../../domain/toppers/percentile.ts';
import type { SealedValues } from '../cache/segment-cache.ts';
import {
  appendColumns,
  plainColumns,
  tallyColumns,
  type ValueTally,
} from '../kernel/blocks/join-sparse.ts';
import { selectIndexes } from '../kernel/select/select-indexes.ts';
import { type SeriesPart, StepSeries, stepValue } from './step-series.ts';

/** Which values of a key's series to select, by percentile rank (decision 27). */
export type SeriesValuesQuestion = {
  /** From 0 to 100, which is the largest value. */
  readonly ranks: readonly number[];
  /** Number of topper buckets if those without a reading count as 0; null: they do not count. */
  readonly bucketCount: number | null;
};

/** The values in the order of the ranks. null: the series has no value. */
export type SeriesValues = readonly (Exact | null)[];

/** The values of a series whose steps are as long as topper buckets, to select some by rank. */
type OrderedValues = {
  /**
   * Returns the values at the indexes that `placesOf` returns for their number, counted from 0, of
   * all values in ascending order.
   */
  readonly select: (indexesOf: (count: number) => readonly number[]) => Exact[];
};

/** Values that can also be counted without selecting any. */
export type TalliedValues = OrderedValues & {
  /** Counts the values, and those that are not smaller than `min` (or more). */
  readonly tally: (min: number) => ValueTally;
};

/** Returns the values of parts, which are joined only if necessary. */
export function orderedValues(parts: readonly SeriesPart[], aggregate: Aggregate): TalliedValues {
  const columns = aggregate === 'mean' ? null : plainColumns(parts);
  if (columns === null) {
    return valuesOfSeries(new StepSeries({ origin: 0, stepSeconds: 1 }, parts, aggregate));
  }
  return plainValues(columns);
}

const plainValues = (columns: readonly Float64Array[]): TalliedValues => ({
  tally: (min) => tallyColumns(columns, min),
  select(indexesOf) {
    const numbers = appendColumns(columns);
    return exactNumbers(numbers, indexesOf(numbers.length));
  },
});

/** Values that are doubles are not sorted: only the requested ones are selected. */
export const valuesOfSeries = (series: StepSeries): TalliedValues => ({
  tally: () => ({ count: series.ids.length, reaching: series.ids.length }),
  select(indexesOf) {
    const indexes = indexesOf(series.ids.length);
    const { values, counts } = series.column;
    if (values.high === null && counts === null) return exactNumbers(values.low, indexes);
    return inOrder(
      Array.from(series.ids, (_, i) => stepValue(series, i)),
      indexes,
    );
  },
});

/** Returns the values in sealed segments together with those of parts at other topper buckets. */
export function valuesBeside(
  sealed: SealedValues,
  parts: readonly SeriesPart[],
  aggregate: Aggregate,
): TalliedValues {
  const columns = plainColumns(parts);
  if (columns === null) return valuesOfAll(sealed, parts, aggregate);
  return columns.length === 0 ? sortedValues(sealed) : plainValues([sealed.numbers, ...columns]);
}

/** They are sorted in place when some are selected; only to count them, that would take longer. */
const sortedValues = (sealed: SealedValues): TalliedValues => ({
  tally: (min) => tallyColumns([sealed.numbers], min),
  select(indexesOf) {
    const { numbers } = sealed;
    if (!sealed.isSorted) numbers.sort();
    sealed.isSorted = true;
    return indexesOf(numbers.length).map((index) => exactNumber(numbers[index] as number));
  },
});

/** The same as `valuesBeside`, if the values of the parts are not all plain numbers. */
function valuesOfAll(
  { numbers }: SealedValues,
  parts: readonly SeriesPart[],
  aggregate: Aggregate,
): TalliedValues {
  const series = new StepSeries({ origin: 0, stepSeconds: 1 }, parts, aggregate);
  const count = numbers.length + series.ids.length;
  return {
    tally: () => ({ count, reaching: count }),
    select(indexesOf) {
      const all = Array.from(series.ids, (_, i) => stepValue(series, i));
      for (const number of numbers) all.push(exactNumber(number));
      return inOrder(all, indexesOf(count));
    },
  };
}

function inOrder(values: readonly Exact[], indexes: readonly number[]): Exact[] {
  const ordered = values.toSorted(compareExact);
  return indexes.map((index) => ordered[index] ?? NO_READING);
}

function exactNumbers(numbers: Float64Array, indexes: readonly number[]): Exact[] {
  const isLargest = indexes.length === 1 && indexes[0] === numbers.length - 1;
  const selected = isLargest ? [largest(numbers)] : selectIndexes(numbers, indexes);
  return selected.map(exactNumber);
}

const exactNumber = (number: number): Exact => ({ sum: BigInt(number), count: 1n });

function largest(values: Float64Array): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] as number;
    if (value > max) max = value;
  }
  return max;
}

/** Decision 27: selects by nearest rank. */
export function selectValues(
  { select }: OrderedValues,
  { ranks, bucketCount }: SeriesValuesQuestion,
): SeriesValues {
  let indexes: readonly ReturnType<typeof nearestRank>[] = [];
  const found = select((count) => {
    // They are not stored, because a window may span years.
    const zeros = bucketCount === null ? 0 : bucketCount - count;
    indexes = ranks.map((rank) => nearestRank(count, rank, zeros));
    return indexes.filter((index) => typeof index === 'number');
  });
  let taken = 0;
  return indexes.map((index) => {
    if (index === null) return null;
    if (index === ZERO) return NO_READING;
    taken += 1;
    return found[taken - 1] ?? NO_READING;
  });
}
