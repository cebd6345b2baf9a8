import type { KeySet } from '../../../segments/filter/key-set.ts';
import type { Aggregated } from '../aggregate/aggregate-blocks.ts';
import { type KeyRows, passingRows, releaseRows, rowsOf } from './key-rows.ts';

/**
 * Which keys count at all (null: every key), and which of these may be listed (null: all). Keys are
 * given by ordinal; a key that is in no block is not an error.
 */
export type OrdinalSelection = {
  readonly within: readonly number[] | null;
  readonly passing: KeySet | null;
};

/** The rows that count, and those that may be listed: the same rows if there is no filter. */
export type SelectedRows = { readonly counted: KeyRows; readonly passed: KeyRows };

export function selectRows(
  aggregated: Aggregated,
  { within, passing }: OrdinalSelection,
  all: () => KeyRows,
): SelectedRows {
  const counted = within ? rowsOf(aggregated, within) : all();
  return { counted, passed: passing ? passingRows(aggregated, counted, passing) : counted };
}

/** Releases the rows that a filter selected. The caller releases the rows from `all`. */
export function releaseSelected({ counted, passed }: SelectedRows): void {
  if (passed !== counted) releaseRows(passed);
}
