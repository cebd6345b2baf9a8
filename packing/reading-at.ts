import type { ReadingColumn } from './sorted-readings.ts';

/**
 * What a column holds in a row, exactly; null for nothing. `large` may still hold what was in the
 * row before, so it counts only where `numbers` says so.
 */
export function readingAt({ numbers, large }: ReadingColumn, row: number): number | bigint | null {
  const number = numbers[row] ?? Number.NaN;
  if (Number.isNaN(number)) return null;
  if (Number.isFinite(number)) return number;
  const value = large.get(row);
  if (value === undefined) throw new Error(`Row ${row} of a column has no large number`);
  return value;
}
