import type { CaseResult, MeasuredName } from '../measures/measure-case.ts';
import { VARIANTS, type Variant } from '../questions/cases.ts';

/** Ratios of another system's median to ours. null if one of the two was not measured. */
export type Ratios = {
  /** DuckDB with default settings. */
  readonly duckdbToWarm: number | null;
  readonly duckdbToCold: number | null;
  /** DuckDB with the setting that is fastest for this question. */
  readonly tunedToWarm: number | null;
  readonly tunedToCold: number | null;
  readonly sqlToWarm: number | null;
};

export function ratiosOf({ figures }: CaseResult): Ratios {
  const median = (name: MeasuredName): number => figures.get(name)?.median ?? Number.NaN;
  const ratio = (other: number, own: number): number | null =>
    Number.isNaN(other / own) ? null : other / own;
  return {
    duckdbToWarm: ratio(median('duckdb'), median('ours')),
    duckdbToCold: ratio(median('duckdb'), median('ours, cold')),
    tunedToWarm: ratio(median('duckdb-tuned'), median('ours')),
    tunedToCold: ratio(median('duckdb-tuned'), median('ours, cold')),
    sqlToWarm: ratio(median('sql'), median('ours')),
  };
}

/** The cost of a filter or of percentiles: ratios to the same window without. */
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
