import { type BigNumber, toNumber } from '../format/big-number.ts';
import type { Span } from './choices.ts';
import { addsUp, type MeterKind, perSecond } from './meter-kind.ts';

type Point = { readonly at: number; readonly value: BigNumber };

type NamedSeries = {
  readonly key: string;
  readonly label: string;
  readonly series: readonly Point[] | null;
};

export type ChartAnswer = {
  readonly keys: readonly NamedSeries[];
  readonly series:
    | readonly { readonly at: number; readonly total: BigNumber; readonly others: BigNumber }[]
    | null;
};

export type ChartLine = {
  readonly key: string;
  readonly label: string;
  readonly values: readonly (number | null)[];
};

/** What a chart draws: values per second if readings add up, otherwise values as measured. */
export type ChartData = {
  /** Starts of steps, clipped to the window, followed by the end of the last step. */
  readonly times: readonly number[];
  /** End of each step, clipped to the window. */
  readonly ends: readonly number[];
  readonly step: number;
  readonly lines: readonly ChartLine[];
  /** The sum of unlisted keys, so that the stack is the total; null: values do not add up. */
  readonly others: readonly number[] | null;
};

/** Returns the part of the window for which there is data; `stored` is null if unknown. */
export const coveredPart = (window: Span, stored: Span | null): Span => ({
  from: Math.max(window.from, stored?.from ?? window.from),
  to: Math.min(window.to, stored?.to ?? window.to),
});

export type ChartQuestion = {
  readonly kind: MeterKind;
  readonly step: number;
  /** The time for which there are readings: the first and last step are seldom fully covered. */
  readonly covered: Span;
  /** Keys that are left out of the others as well. */
  readonly hidden: readonly NamedSeries[];
};

export function chartData(
  { keys, series }: ChartAnswer,
  { kind, step, covered, hidden }: ChartQuestion,
): ChartData {
  const starts = [
    ...new Set([
      ...(series ?? []).map(({ at }) => at),
      ...keys.flatMap((key) => (key.series ?? []).map(({ at }) => at)),
    ]),
  ].sort((a, b) => a - b);
  const startOf = (at: number) => Math.max(at, Math.min(covered.from, at + step));
  const endOf = (at: number) => Math.min(at + step, Math.max(covered.to, at));
  const rateOf = ({ at, value }: Point) =>
    perSecond(kind, toNumber(value), { step, covered: endOf(at) - startOf(at) });
  const missing = addsUp(kind) ? 0 : null;
  const ends = starts.map(endOf);
  const times = [...starts.map(startOf), ...ends.slice(-1)];
  const lines = keys.map(({ key, label, series: points }) => {
    const values = new Map((points ?? []).map((point) => [point.at, rateOf(point)]));
    return { key, label, values: closed(starts.map((at) => values.get(at) ?? missing)) };
  });
  return { times, ends, step, lines, others: addsUp(kind) ? othersOf() : null };

  function othersOf(): number[] {
    const others = new Map(
      (series ?? []).map(({ at, others: value }) => [at, rateOf({ at, value })]),
    );
    for (const { series: points } of hidden) {
      for (const point of points ?? []) {
        others.set(point.at, (others.get(point.at) ?? 0) - rateOf(point));
      }
    }
    // Values are rounded separately, so the difference may be below zero.
    return closed(starts.map((at) => Math.max(0, others.get(at) ?? 0)));
  }
}

/** Converting a pixel to a time rounds: a moment before a start counts as the start. */
const SLACK_SECONDS = 0.01;

/** Returns the index of the last of these times that is not after `at`; -1 if all are. */
export const lastStart = (times: readonly number[], at: number): number =>
  times.findLastIndex((start) => start <= at + SLACK_SECONDS);

/** Returns the step that contains a time, however near the next start is; null if none does. */
export function stepAt(times: readonly number[], at: number): number | null {
  const end = times.at(-1);
  const step = lastStart(times, at);
  if (end === undefined || step < 0 || at > end + SLACK_SECONDS) return null;
  // The last time only ends the last step.
  return times.length < 2 ? null : Math.min(step, times.length - 2);
}

/** Repeats the last value, where its step ends. */
function closed<T>(values: readonly T[]): T[] {
  const last = values.at(-1);
  return last === undefined ? [] : [...values, last];
}

/** Stacks each line on those before it, the others last: the topmost is the total. */
export function stacked(
  lines: readonly (readonly (number | null)[])[],
): readonly (readonly number[])[] {
  const sums: number[][] = [];
  for (const values of lines) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  return sums;
}
