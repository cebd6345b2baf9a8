import { type EpochSeconds, floorTo, type Interval } from '../time/interval.ts';

/*
 * Windows end at each multiple of the topper bucket size, and are identified by their ends. A rule
 * decides each of them once, in order.
 */

/** The data that a rule is about: those of its group, and of its probe if it names one. */
export type DataTimes = {
  /** Start of the first bucket. */
  readonly first: EpochSeconds;
  /** End of the newest bucket that is not ahead of the clock. */
  readonly end: EpochSeconds;
  /** Whether there are newer ones, which are ahead of it. */
  readonly isAhead: boolean;
  /** When data were last committed. */
  readonly committedAt: EpochSeconds;
};

/** The end of the first window that ends after `time`. */
export const firstEndAfter = (time: EpochSeconds, gridSeconds: number): EpochSeconds =>
  floorTo(time, gridSeconds) + gridSeconds;

/** How many topper buckets to wait for late data after the last commit. */
const SETTLED_AFTER = 2;

/**
 * The end of the last window that is due: data reach a topper bucket beyond it, or they reach it
 * and the last commit is two topper buckets old.
 */
export function lastDueEnd(
  { end, committedAt }: DataTimes,
  gridSeconds: number,
  now: EpochSeconds,
): EpochSeconds {
  const reached = floorTo(end, gridSeconds);
  return now - committedAt >= SETTLED_AFTER * gridSeconds ? reached : reached - gridSeconds;
}

/** When the last window that the data reach becomes due without new data. */
export const settledAt = ({ committedAt }: DataTimes, gridSeconds: number): EpochSeconds =>
  committedAt + SETTLED_AFTER * gridSeconds;

/** The interval of a window. */
export const windowEndingAt = (end: EpochSeconds, windowSeconds: number): Interval => ({
  from: Math.max(0, end - windowSeconds),
  to: end,
});

/** Consecutive windows, by the first and the last of their ends. */
export type WindowRun = {
  readonly first: EpochSeconds;
  readonly last: EpochSeconds;
  /** Whether there may be readings in them. */
  readonly mayHaveData: boolean;
};

export type WindowGrid = { readonly gridSeconds: number; readonly windowSeconds: number };

/**
 * Splits the windows that end from `first` to `last` into runs with and without data, in order.
 * `spans` cover all data.
 */
export function windowRuns(
  { first, last }: { readonly first: EpochSeconds; readonly last: EpochSeconds },
  { gridSeconds, windowSeconds }: WindowGrid,
  spans: readonly Interval[],
): WindowRun[] {
  const runs: WindowRun[] = [];
  let next = first;
  const add = (until: EpochSeconds, mayHaveData: boolean): void => {
    if (until < next) return;
    const before = runs.at(-1);
    if (before?.mayHaveData === mayHaveData) runs[runs.length - 1] = { ...before, last: until };
    else runs.push({ first: next, last: until, mayHaveData });
    next = until + gridSeconds;
  };
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    // A window overlaps a span if it ends after the span's start and begins before its end.
    add(Math.min(last, floorTo(from, gridSeconds)), false);
    const lastWithin = floorTo(to + windowSeconds - 1, gridSeconds);
    add(Math.min(last, lastWithin), true);
  }
  add(last, false);
  return runs;
}

/**
 * The windows that end within (from, to] and within the data, by the first and the last of their
 * ends; null: there are none. `spans` cover all data.
 */
export function windowsWithin(
  { from, to }: Interval,
  gridSeconds: number,
  spans: readonly Interval[],
): { readonly first: EpochSeconds; readonly last: EpochSeconds } | null {
  const dataFrom = Math.min(...spans.map((span) => span.from));
  const dataTo = Math.max(...spans.map((span) => span.to));
  const first = firstEndAfter(Math.max(from, dataFrom), gridSeconds);
  const last = floorTo(Math.min(to, dataTo), gridSeconds);
  return first <= last ? { first, last } : null;
}
