import type { EarlierQuery, EarlierQueryVariables } from '../../generated/operations.ts';
import type { Address, Comparison } from '../address/address.ts';
import { type ChartQuestion, chartData, coveredPart, stepAt } from './chart-data.ts';
import type { Span } from './choices.ts';
import { agoOf, NO_GROUP, nodeOf } from './questions.ts';

/** Names of the windows that another is compared with. */
export const COMPARED: Readonly<Record<Comparison, string>> = {
  before: 'Previous window',
  day: 'A day earlier',
  week: 'A week earlier',
};

/** Returns a span of the same length, that many seconds earlier; null: just before. */
export const earlierSpan = ({ from, to }: Span, ago: number | null): Span => {
  const seconds = ago ?? to - from;
  return { from: from - seconds, to: to - seconds };
};

/** What is missing of the window that another is compared with. */
export type EarlierGap = { readonly isWhole: boolean; readonly text: string };

type Compared = { readonly earlier: Span; readonly stored: Span | null };

/** null: all of the window is stored. */
export function earlierGap({ earlier, stored }: Compared): EarlierGap | null {
  if (stored === null || earlier.to <= stored.from) {
    const text = 'Nothing is stored for that window, so there is nothing to compare with.';
    return { isWhole: true, text };
  }
  if (stored.from <= earlier.from) return null;
  const text = 'That window is only partly stored, so the comparison is incomplete.';
  return { isWhole: false, text };
}

/** A chart whose values are compared with those of an earlier window. */
export type ComparedChart = Pick<ChartQuestion, 'kind' | 'step' | 'bucketSize'> & {
  readonly window: Span;
  /** Raw keys whose values are drawn, added up; null: those of all keys. */
  readonly keys: readonly string[] | null;
};

/** Returns null if the earlier window would begin before 1970. */
export function earlierVariables(
  address: Address,
  chart: ComparedChart,
): EarlierQueryVariables | null {
  const { group, meter, probe, prefix } = address;
  const { step, keys } = chart;
  const { asked, ago } = askedSpan(chart, address);
  if (chart.window.from < ago) return null;
  return {
    ...nodeOf(address),
    group: group ?? NO_GROUP,
    meter: meter ?? 0,
    window: { interval: asked },
    probe,
    filter: keys && { keys },
    prefix,
    items: Math.max(1, keys?.length ?? 1),
    step,
  };
}

/**
 * Returns the earlier window, widened to whole steps and up to an eighth more: a window that moves
 * on with the data stays within it for a while, so that its chart need not ask again each time.
 */
function askedSpan({ window, step }: ComparedChart, compared: Pick<Address, 'compare'>) {
  const { from, to } = earlierSpan(window, agoOf(compared));
  const ago = window.from - from;
  const unit = step * Math.max(1, Math.floor(Math.min(to - from, ago) / 8 / step));
  return { asked: { from: Math.floor(from / unit) * unit, to: Math.ceil(to / unit) * unit }, ago };
}

/** A line over a chart: the values of an earlier window, at the times of the later one. */
export type EarlierLine = {
  readonly name: string;
  /** Seconds between the windows. */
  readonly ago: number;
  /** As in a chart: starts of steps, and the end of the last one. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
};

/** Returns null if nothing is stored for that window. */
export function earlierLine(
  answer: EarlierQuery,
  chart: ComparedChart,
  compared: Pick<Address, 'compare'>,
): EarlierLine | null {
  const topper = answer.context?.counterGroup?.topper;
  if (!topper?.availableWindow) return null;
  const { asked, ago } = askedSpan(chart, compared);
  const ofAll = { series: topper.series?.map(({ at, total }) => ({ at, value: total })) ?? null };
  const series = chart.keys ? topper.keys : [ofAll];
  const { times, lines } = chartData(
    {
      keys: series.map((each, index) => ({ ...each, key: String(index), label: '' })),
      series: null,
    },
    { ...chart, covered: coveredPart(asked, topper.availableWindow), hidden: [] },
  );
  if (times.length === 0) return null;
  return {
    name: COMPARED[compared.compare],
    ago,
    times: times.map((at) => at + ago),
    values: times.map((_, index) => sumOf(lines.map(({ values }) => values[index] ?? null))),
  };
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** The earlier value that belongs to a time of the chart, with its own time. */
export type EarlierReading = Span & { readonly value: number | null };

export function earlierAt({ times, values, ago }: EarlierLine, at: number): EarlierReading | null {
  const step = stepAt(times, at);
  const [from, to] = step === null ? [] : [times[step], times[step + 1]];
  if (step === null || from === undefined || to === undefined) return null;
  return { from: from - ago, to: to - ago, value: values[step] ?? null };
}
