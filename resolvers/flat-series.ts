import { malformed } from '../domain/errors.ts';
import type { EpochSeconds } from '../domain/interval.ts';
import { LIMITS } from '../domain/limits.ts';
import { labelOf } from './keys.ts';
import { keySeries, seriesLength, topperSeries } from './topper-series.ts';
import type { Topper } from './toppers.ts';

/** One value of one series, of a listed key or of all the others. */
export type FlatSeriesPoint = {
  readonly at: EpochSeconds;
  /** null: the others. */
  readonly key: string | null;
  readonly label: string;
  readonly value: bigint;
};

const OTHERS = { key: null, label: 'others' };

/**
 * The series of the listed keys and of the others as the rows of one table, by time and then by
 * rank, others last. Errors: those of a series, and too many rows.
 */
export async function flatSeries(topper: Topper, step: number | null): Promise<FlatSeriesPoint[]> {
  checkRows(topper, step);
  // All at once, so that what the others are computed from is read with the keys' own series.
  const [others, ...listed] = await Promise.all([
    topperSeries(topper, step),
    ...topper.keys.map((key) => keySeries(key, step)),
  ]);
  const rows = topper.keys.flatMap(({ key }, place): FlatSeriesPoint[] => {
    const named = { key: key.row.key, label: labelOf(key) };
    return (listed[place] ?? []).map(({ at, value }) => ({ ...named, at, value }));
  });
  const rest = others.map((point) => ({ ...OTHERS, at: point.at, value: point.others }));
  // Stable: those of one time stay in the order of their series.
  return [...rows, ...rest].sort((a, b) => a.at - b.at);
}

function checkRows(topper: Topper, step: number | null): void {
  const { stepSeconds, points } = seriesLength(topper.plan, step);
  const series = topper.keys.length + 1;
  const rows = series * points;
  if (rows <= LIMITS.flatSeriesRows) return;
  const must = `so long that ${series} series have at most ${LIMITS.flatSeriesRows} rows`;
  throw malformed('step', must, `${stepSeconds}, which gives ${rows}`);
}
