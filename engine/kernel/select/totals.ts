import type { Exact } from '../../../domain/toppers/exact.ts';
import type { KeySet } from '../../../segments/filter/key-set.ts';
import type { Folded } from '../aggregate/aggregate-blocks.ts';
import {
  exactValue,
  type KeyRows,
  ordinalOf,
  passingRows,
  releaseRows,
  rowsOf,
  totalOf,
} from './key-rows.ts';

/**
 * Which keys count at all (null: every key), and which of these may be listed (null: all). Keys are
 * given by ordinal; a key that is in no block is not an error.
 */
export type KeySelection = {
  readonly within: readonly number[] | null;
  readonly passing: KeySet | null;
};

export type ValuedKey = { readonly ordinal: number; readonly value: Exact };

/** Totals: of all keys, and (the rests) of the keys that are not listed. null: there are none. */
export type Surroundings = {
  readonly total: Exact | null;
  readonly rest: Exact | null;
  readonly restPassing: Exact | null;
};

type SelectedRows = { readonly counted: KeyRows; readonly passed: KeyRows };

export function selectRows(
  folded: Folded,
  { within, passing }: KeySelection,
  all: () => KeyRows,
): SelectedRows {
  const counted = within ? rowsOf(folded, within) : all();
  return { counted, passed: passing ? passingRows(folded, counted, passing) : counted };
}

/** Releases the rows that a filter selected. The caller releases the rows from `all`. */
export function releaseSelected({ counted, passed }: SelectedRows): void {
  if (passed !== counted) releaseRows(passed);
}

export const valuedKeys = (folded: Folded, rows: readonly number[]): ValuedKey[] =>
  rows.map((row) => ({ ordinal: ordinalOf(folded, row), value: exactValue(folded, row) }));

/** Returns the totals that go with the listed rows, all of which passed the filter. */
export function surroundingsOf(
  folded: Folded,
  { counted, passed }: SelectedRows,
  listed: readonly number[],
): Surroundings {
  const valued = valuedKeys(folded, listed);
  const isListed = new Set(listed);
  const restOf = (from: KeyRows, total: Exact | null): Exact | null =>
    from.length === isListed.size
      ? null
      : (without(folded, total, valued) ??
        totalOf(
          folded,
          rowsWhere(from, (row) => !isListed.has(row)),
        ));
  const total = totalOf(folded, counted);
  const rest = restOf(counted, total);
  const restPassing = passed === counted ? rest : restOf(passed, totalOf(folded, passed));
  return { total, rest, restPassing };
}

/** Subtracts the listed keys from a total; null for max and min, where the rest is scanned. */
export function without(
  { fold, counts }: Folded,
  total: Exact | null,
  listed: readonly ValuedKey[],
): Exact | null {
  if (total === null || fold === 'max' || fold === 'min') return null;
  let { sum, count } = total;
  for (const { value } of listed) {
    sum -= value.sum;
    if (counts) count -= value.count;
  }
  return { sum, count };
}

export function rowsWhere(
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
