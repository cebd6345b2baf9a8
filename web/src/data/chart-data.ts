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
  /** All keys that are selected, together; the listed ones are some of them. */
  readonly whole: readonly Point[] | null;
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
  /** What the listed keys lack of the whole; null: values do not add up. */
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
  readonly bucketSize: number;
  /** The time for which there are readings: the first and last step are seldom fully covered. */
  readonly covered: Span;
};

export function chartData({ keys, whole }: ChartAnswer, question: ChartQuestion): ChartData {
  const steps = stepsOf(question);
  const ends = steps.map(({ to }) => to);
  const valuesOf = (points: readonly Point[] | null) => closed(valuesIn(points, steps, question));
  const lines = keys.map(({ key, label, series }) => ({ key, label, values: valuesOf(series) }));
  // Values are rounded separately: the difference may be below zero, or where nothing is left over.
  const othersOf = (value: number | null, index: number) => {
    const rest = lines.reduce((left, { values }) => left - (values[index] ?? 0), value ?? 0);
    return rest > (value ?? 0) * ROUNDING ? rest : 0;
  };
  return {
    times: [...steps.map(({ from }) => from), ...ends.slice(-1)],
    ends,
    step: question.step,
    lines,
    others: addsUp(question.kind) ? valuesOf(whole).map(othersOf) : null,
  };
}

/** The largest part of a value that may be due to the rounding of floating-point numbers. */
const ROUNDING = 1e-9;

/** A step of a chart, as far as it is covered, with the starts of the steps that it consists of. */
type Step = Span & { readonly starts: readonly number[] };

/** A first or last step with less than this part of its time is drawn as part of its neighbour. */
const LEAST_PART = 0.5;

/**
 * Returns the steps of the covered time. A bucket belongs to the window in which it starts
 * (decision 18), so what is covered begins and ends with buckets, not where the window is cut.
 * A step of which little is covered would be a spike or a dip, because few buckets vary more than
 * many: where values add up, it is drawn with its neighbour, at the mean rate of both.
 */
function stepsOf({ kind, step, bucketSize, covered }: ChartQuestion): readonly Step[] {
  const firstBucket = (at: number) => Math.ceil(at / bucketSize) * bucketSize;
  const begin = firstBucket(covered.from);
  const end = firstBucket(covered.to);
  const steps: Step[] = [];
  for (let at = Math.floor(begin / step) * step; at < end; at += step) {
    steps.push({ from: Math.max(at, begin), to: Math.min(at + step, end), starts: [at] });
  }
  if (!addsUp(kind)) return steps;
  const isCut = ({ from, to }: Step) => to - from < LEAST_PART * step;
  const first = steps[0];
  const second = steps[1];
  if (first && second && steps.length > 2 && isCut(first)) {
    steps.splice(0, 2, joined(first, second));
  }
  const last = steps.at(-1);
  const next = steps.at(-2);
  if (last && next && steps.length > 2 && isCut(last)) steps.splice(-2, 2, joined(next, last));
  return steps;
}

const joined = (one: Step, next: Step): Step => ({
  from: one.from,
  to: next.to,
  starts: [...one.starts, ...next.starts],
});

/** Returns a value for each step: per second if readings add up, else as it is, or null. */
function valuesIn(
  points: readonly Point[] | null,
  steps: readonly Step[],
  { kind, step }: ChartQuestion,
): (number | null)[] {
  const values = new Map((points ?? []).map(({ at, value }) => [at, toNumber(value)]));
  return steps.map(({ from, to, starts }) => {
    const [first = 0] = starts;
    if (!addsUp(kind)) return values.get(first) ?? null;
    const sum = starts.reduce((all, at) => all + (values.get(at) ?? 0), 0);
    return perSecond(kind, sum, { step, covered: to - from });
  });
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
