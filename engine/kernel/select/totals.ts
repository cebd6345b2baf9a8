import type { Exact } from '../../../domain/toppers/exact.ts';
import type { Aggregated } from '../aggregate/aggregate-blocks.ts';
import { exactValue, type KeyRows, ordinalOf, totalOf } from './key-rows.ts';
import type { SelectedRows } from './select-rows.ts';

export type ValuedOrdinal = { readonly ordinal: number; readonly value: Exact };

/**
 * The total of all keys, and of those that are not listed: of all of these (`others`, decision 25),
 * and of those that match the filter. null: there are none.
 */
export type Totals = {
  readonly total: Exact | null;
  readonly others: Exact | null;
  readonly othersMatching: Exact | null;
};

/**
 * Keys that count: their number and total. scanOthers: adds up those that are not listed, for
 * aggregates from which nothing can be subtracted; null: the aggregate is not one of these.
 */
type CountedKeys = {
  readonly count: number;
  readonly total: Exact | null;
  readonly scanOthers: (() => Exact | null) | null;
};

/** Computes the totals that go with listed keys. matching: `all` itself if there is no filter. */
export function totals(
  aggregated: Aggregated,
  { all, matching }: { readonly all: CountedKeys; readonly matching: CountedKeys },
  listed: readonly ValuedOrdinal[],
): Totals {
  const othersOf = ({ count, total, scanOthers }: CountedKeys): Exact | null => {
    if (count === listed.length) return null;
    const others = without(aggregated, total, listed);
    if (others !== null) return others;
    if (scanOthers === null) throw new Error('the keys that are not listed have to be scanned');
    return scanOthers();
  };
  const others = othersOf(all);
  const othersMatching = matching === all ? others : othersOf(matching);
  return { total: all.total, others, othersMatching };
}

/** isOther: whether a row is not listed. */
type ListedRows = {
  readonly listed: readonly ValuedOrdinal[];
  readonly isOther: (row: number, approx: number) => boolean;
};

/** Computes the totals that go with the listed of some rows. */
export function totalsOfRows(
  aggregated: Aggregated,
  { counted, passed }: SelectedRows,
  { listed, isOther }: ListedRows,
): Totals {
  const keysOf = (rows: KeyRows): CountedKeys => ({
    count: rows.length,
    total: totalOf(aggregated, rows),
    scanOthers: () => totalOf(aggregated, rowsWhere(rows, isOther)),
  });
  const all = keysOf(counted);
  return totals(aggregated, { all, matching: passed === counted ? all : keysOf(passed) }, listed);
}

export const valuedOrdinals = (aggregated: Aggregated, rows: readonly number[]): ValuedOrdinal[] =>
  rows.map((row) => ({ ordinal: ordinalOf(aggregated, row), value: exactValue(aggregated, row) }));

/** Subtracts the listed keys from a total; null for max and min, from which nothing can be. */
function without(
  { aggregate, counts }: Aggregated,
  total: Exact | null,
  listed: readonly ValuedOrdinal[],
): Exact | null {
  if (total === null || aggregate === 'max' || aggregate === 'min') return null;
  let { sum, count } = total;
  for (const { value } of listed) {
    sum -= value.sum;
    if (counts) count -= value.count;
  }
  return { sum, count };
}

function rowsWhere(
  from: KeyRows,
  test: (row: number, approx: number) => boolean,
): Pick<KeyRows, 'rows' | 'length'> {
  const rows = new Uint32Array(from.length);
  let length = 0;
  for (let i = 0; i < from.length; i += 1) {
    const row = from.rows[i] as number;
    if (!test(row, from.approx[i] as number)) continue;
    rows[length] = row;
    length += 1;
  }
  return { rows, length };
}
