import { type BigNumber, toNumber } from '../format/big-number.ts';
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

/** What a chart draws: per second where readings add up, and else as it was measured. */
export type ChartData = {
  /** Where steps begin, within the window, and at last where the last one ends. */
  readonly times: readonly number[];
  /** Where each step ends, within the window. */
  readonly ends: readonly number[];
  readonly step: number;
  readonly lines: readonly ChartLine[];
  /** What is not listed, so that the stack is the total; null: parts do not add up. */
  readonly others: readonly number[] | null;
};

export type Covered = { readonly from: number; readonly to: number };

/** The part of the window for which there are data; null: that is not known. */
export const coveredPart = (window: Covered, stored: Covered | null): Covered => ({
  from: Math.max(window.from, stored?.from ?? window.from),
  to: Math.min(window.to, stored?.to ?? window.to),
});

export type ChartQuestion = {
  readonly kind: MeterKind;
  readonly step: number;
  /** For when there are readings: the steps at its edges are seldom covered as a whole. */
  readonly covered: Covered;
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
    // What is rounded by itself may come to less than nothing.
    return closed(starts.map((at) => Math.max(0, others.get(at) ?? 0)));
  }
}

/** A pixel is told as a time with some rounding: a moment before a start is the start. */
const SLACK_SECONDS = 0.01;

/** The place of the last of these times that is not after `at`; -1: all are. */
export const lastStart = (times: readonly number[], at: number): number =>
  times.findLastIndex((start) => start <= at + SLACK_SECONDS);

/** The step that lasts at a time, be the next one's start ever so near; null: none does. */
export function stepAt(times: readonly number[], at: number): number | null {
  const end = times.at(-1);
  const step = lastStart(times, at);
  if (end === undefined || step < 0 || at > end + SLACK_SECONDS) return null;
  // The last point only ends the last step.
  return times.length < 2 ? null : Math.min(step, times.length - 2);
}

/** The last value again, where its step ends. */
function closed<T>(values: readonly T[]): T[] {
  const last = values.at(-1);
  return last === undefined ? [] : [...values, last];
}

/** Each line on top of those before it, the others last: the uppermost is the total. */
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
