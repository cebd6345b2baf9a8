import type { CaseResult, MeasuredName } from '../measures/measure-case.ts';
import { VARIANTS, type Variant } from '../questions/cases.ts';

/** How many times as long another system takes, by medians; null where one was not measured. */
export type Ratios = {
  /** Of DuckDB's two layouts the one that is faster at this question. */
  readonly duckdbToWarm: number | null;
  readonly sqlToWarm: number | null;
  readonly duckdbToCold: number | null;
};

export function ratiosOf({ figures }: CaseResult): Ratios {
  const median = (name: MeasuredName): number => figures.get(name)?.median ?? Number.NaN;
  const [ids, texts] = [median('duckdb'), median('duckdb-text')];
  const duckdb = Number.isNaN(ids) || texts < ids ? texts : ids;
  const ratio = (other: number, own: number): number | null =>
    Number.isNaN(other / own) ? null : other / own;
  return {
    duckdbToWarm: ratio(duckdb, median('ours')),
    sqlToWarm: ratio(median('sql'), median('ours')),
    duckdbToCold: ratio(duckdb, median('ours, cold')),
  };
}

/** What a filter or percentiles cost: how many times as long the same window takes with them. */
export type Surcharge = {
  readonly window: string;
  readonly variant: Exclude<Variant, 'plain'>;
  readonly times: ReadonlyMap<MeasuredName, number>;
};

export function surchargesOf(results: readonly CaseResult[]): Surcharge[] {
  const windows = [...new Set(results.map(({ window }) => window))];
  const of = (window: string, variant: Variant) =>
    results.find((each) => each.window === window && each.variant === variant)?.figures;
  return windows.flatMap((window) =>
    VARIANTS.filter((variant) => variant !== 'plain').map((variant) => {
      const times = new Map<MeasuredName, number>();
      for (const [name, { median }] of of(window, variant) ?? []) {
        times.set(name, median / (of(window, 'plain')?.get(name)?.median ?? Number.NaN));
      }
      return { window, variant, times };
    }),
  );
}
