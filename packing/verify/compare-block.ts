import { type Fold, isCounting } from '../../domain/meter-type.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
import type { SlotFolds } from '../../topk/merge-blocks.ts';
import type { ShardBlock } from '../../topk/packed-run.ts';

/** What the samples say of one block: of each id, ascending, values and counts by slot as texts. */
export type ExpectedBlock = {
  readonly probeId: number;
  readonly shard: number;
  readonly start: number;
  readonly rows: readonly {
    readonly id: number;
    readonly values: readonly string[];
    readonly counts: readonly string[];
  }[];
};

type ExpectedValues = ExpectedBlock['rows'][number];

/** A reading that differs; null: there is none. */
export type ReadingDifference = {
  readonly id: number;
  readonly slot: number;
  readonly stored: string | null;
  readonly expected: string | null;
};

/** All readings in which a stored block and the samples differ, ids ascending. */
export function* compareBlock(
  stored: ShardBlock,
  { rows }: ExpectedBlock,
  folds: SlotFolds,
): Generator<ReadingDifference> {
  let at = 0;
  for (const row of rows) {
    for (; at < stored.ids.length && (stored.ids[at] as number) < row.id; at += 1) {
      yield* compareRow(stored, at, null, folds);
    }
    const isThere = stored.ids[at] === row.id;
    yield* compareRow(stored, isThere ? at : null, row, folds);
    if (isThere) at += 1;
  }
  for (; at < stored.ids.length; at += 1) yield* compareRow(stored, at, null, folds);
}

function* compareRow(
  stored: ShardBlock,
  row: number | null,
  expected: ExpectedValues | null,
  folds: SlotFolds,
): Generator<ReadingDifference> {
  const id = expected?.id ?? (row === null ? 0 : (stored.ids[row] as number));
  for (let slot = 0; slot < folds.length; slot += 1) {
    const fold = folds[slot] ?? null;
    const is = row === null ? null : storedReading(stored, row, slot, fold);
    const should = expected && expectedReading(expected, slot, fold);
    if (is !== should) yield { id, slot, stored: is, expected: should };
  }
}

/**
 * A reading as a text that is the same for the same reading; null for none, which is also what a
 * counter's 0 is (decision 24).
 */
export function expectedReading(
  { values, counts }: ExpectedValues,
  slot: number,
  fold: Fold | null,
): string | null {
  const value = values[slot] ?? '';
  if (fold === null || value === '' || (value === '0' && isCounting(fold))) return null;
  return fold === 'mean' ? meanText(value, counts[slot] ?? '') : value;
}

function storedReading(
  { columns }: ShardBlock,
  row: number,
  slot: number,
  fold: Fold | null,
): string | null {
  const column = columns[slot];
  if (!column || fold === null || Number.isNaN(column.values.low[row])) return null;
  const value = laneValue(column.values, row);
  if (fold !== 'mean') return value === 0n && isCounting(fold) ? null : String(value);
  const count = column.counts ? laneValue(column.counts, row) : 1n;
  return meanText(String(value), String(count));
}

/** A mean of no readings is none. */
const meanText = (sum: string, count: string): string | null =>
  count === '0' ? null : count === '1' ? sum : `${sum} (sum of ${count} readings)`;

/** How many readings the samples have for the block. */
export function countReadings({ rows }: ExpectedBlock, folds: SlotFolds): number {
  let count = 0;
  for (const row of rows) {
    for (let slot = 0; slot < folds.length; slot += 1) {
      if (expectedReading(row, slot, folds[slot] ?? null) !== null) count += 1;
    }
  }
  return count;
}

/** Whether a stored block has no reading at all: it is as if it were not there. */
export const isEmptyBlock = (stored: ShardBlock, folds: SlotFolds): boolean =>
  stored.ids.every((_, row) =>
    folds.every((fold, slot) => storedReading(stored, row, slot, fold) === null),
  );
