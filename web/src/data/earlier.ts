import type {
  EarlierQuery,
  EarlierQueryVariables,
  KeyFilterInput,
} from '../../generated/operations.ts';
import type { Address, Comparison } from '../address/address.ts';
import type { Prefix } from '../address/prefix.ts';
import { type ChartQuestion, chartData, coveredPart, stepAt } from './chart-data.ts';
import type { Span, Subject } from './choices.ts';
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
  /** What the chart shows, which is not yet what a newer address asks for. */
  readonly of: Subject & { readonly meter: number; readonly prefix: Prefix | null };
  /** The keys whose values are drawn, together; null: all. */
  readonly filter: KeyFilterInput | null;
};

/** Returns null if the earlier window would begin before 1970. */
export function earlierVariables(
  address: Address,
  chart: ComparedChart,
): EarlierQueryVariables | null {
  const { step, filter, of } = chart;
  const { asked, ago } = askedSpan(chart, address);
  if (chart.window.from < ago) return null;
  return {
    ...nodeOf(address),
    group: of.group ?? NO_GROUP,
    meter: of.meter,
    window: { interval: asked },
    probe: of.probe,
    filter,
    prefix: of.prefix,
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
  const { series } = topper.matching;
  const { times, lines } = chartData(
    { keys: [{ key: '', label: '', series }], whole: null },
    { ...chart, covered: coveredPart(asked, topper.availableWindow) },
  );
  if (times.length === 0) return null;
  return {
    name: COMPARED[compared.compare],
    ago,
    times: times.map((at) => at + ago),
    values: lines[0]?.values ?? [],
  };
}

/** The earlier value that belongs to a time of the chart, with its own time. */
export type EarlierReading = Span & { readonly value: number | null };

export function earlierAt({ times, values, ago }: EarlierLine, at: number): EarlierReading | null {
  const step = stepAt(times, at);
  const [from, to] = step === null ? [] : [times[step], times[step + 1]];
  if (step === null || from === undefined || to === undefined) return null;
  return { from: from - ago, to: to - ago, value: values[step] ?? null };
}
