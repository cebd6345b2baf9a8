import type { ReadingColumn } from '../packing/sorted-readings.ts';
import type { Whole } from './whole.ts';

/** What a column holds in a row; null for nothing. */
export function wholeAt({ numbers, large }: ReadingColumn, row: number): Whole | null {
  const number = numbers[row] ?? Number.NaN;
  if (Number.isNaN(number)) return null;
  return Number.isFinite(number) ? number : (large.get(row) ?? null);
}
