import { compareExact, type Exact } from '../../../domain/toppers/exact.ts';

/** Decision 27, of values in any order; `zeros` more are 0. null: there are no values. */
export function plainPercentile(
  values: readonly Exact[],
  zeros: number,
  rank: number,
): Exact | null {
  const all = [...values, ...Array<Exact>(zeros).fill({ sum: 0n, count: 1n })];
  const position = Math.max(1, Math.ceil((rank * all.length) / 100));
  return all.toSorted(compareExact)[position - 1] ?? null;
}

/** Equal means may have different sums and counts. */
export const isSameValue = (a: Exact | null, b: Exact | null): boolean =>
  a === null || b === null ? a === b : compareExact(a, b) === 0;
