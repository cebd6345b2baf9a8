import { guidOf } from '../support/lab/lab.ts';
import type { Line } from '../support/lab/service.ts';
import { GRID, windowEnd } from './alert-lab.ts';
import { type ExpectedEvent, type ExpectedRule, eventsOf, type Met } from './expected-events.ts';

/*
 * Rules about each kind of meter, on a sampled group, with and without a filter and a probe, and
 * their events, computed from sample lines by decisions 23, 24 and 28 alone, without any code of
 * the product.
 */

export const ADDRESSES = guidOf(7);
export const SAMPLING_RATE = 10;

type Kind = 'sum' | 'rate' | 'mean' | 'max' | 'min';

/** By number of the meter. */
const KINDS: readonly Kind[] = ['sum', 'rate', 'mean', 'max', 'min'];
export const TYPES = [2, 4, 5, 11, 12];

export const WINDOWS = 24;
/** The ends of the windows that are due once the data reach the window after the last of them. */
const ENDS = Array.from({ length: WINDOWS + 1 }, (_, i) => windowEnd(i + 1));

const KEYS = ['0A.00.00.01', '0A.00.00.02', '0A.00.01.03', 'C0.A8.00.01', 'C0.A8.00.02'];
const PROBES = ['p1', 'p2'];

/** The same numbers in each run: a linear congruential generator (Numerical Recipes). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A reading for about half of the keys, windows and probes; some windows have none at all. */
export function randomLines(): Line[] {
  const below = numbersFrom(20);
  const lines: Line[] = [];
  for (let window = 1; window <= WINDOWS; window += 1) {
    if (below(8) === 0) continue;
    for (const key of KEYS) {
      for (const probe of PROBES) {
        if (below(2) === 0) continue;
        const second = -GRID + 60 * below(5);
        const gauge = below(41) - 20;
        lines.push(lineOf(window, second, { key, probe, count: 1 + below(4), gauge }));
      }
    }
  }
  return lines;
}

type Reading = { key: string; probe: string; count: number; gauge: number };

const lineOf = (window: number, second: number, { key, probe, count, gauge }: Reading): Line => ({
  group: ADDRESSES,
  key,
  probe,
  ts: windowEnd(window) + second,
  // A rate's value is its volume; a gauge's the sum of `count` readings.
  values: { 0: Math.abs(gauge), 1: Math.abs(gauge) * 77, 2: gauge * 3, 3: gauge, 4: gauge },
  count,
});

/** Data of both probes in a window, to begin or end the span of the data. */
export const edge = (window: number): Line[] =>
  PROBES.map((probe) => lineOf(window, -60, { key: '01.01.01.01', probe, count: 1, gauge: 1 }));

const FILTER = { cidr: ['10.0.0.0/23'] };
/** Written out, not computed: 10.0.0.0 to 10.0.1.255. */
const passes = (key: string): boolean => key.startsWith('0A.00.00.') || key.startsWith('0A.00.01.');

export type Rule = ExpectedRule & {
  readonly meter: number;
  readonly filter: typeof FILTER | null;
  readonly probe: string | null;
};

/** Each condition, with thresholds that meters of the kind reach now and then. */
const CONDITIONS: Readonly<Record<Kind, readonly ExpectedRule['when'][]>> = {
  sum: [
    { key_above: 150 },
    { key_share_above: 0.3 },
    { key_in_top: 2 },
    { key_grows_by: 100 },
    { key_new_above: 50 },
    { total_above: 600 },
    { total_below: 300 },
  ],
  rate: [
    { key_above: 20 },
    { key_share_above: 0.3 },
    { key_in_top: 2 },
    { key_grows_by: 25 },
    { key_new_above: 10 },
    { total_above: 150 },
    { total_below: 70 },
  ],
  mean: [
    { key_above: -20 },
    { key_in_top: 2 },
    { key_grows_by: 15 },
    { key_new_above: 30 },
    { total_above: 20 },
    { total_below: -10 },
  ],
  max: [
    { key_above: 50 },
    { key_in_top: 2 },
    { key_grows_by: 20 },
    { key_new_above: -50 },
    { total_above: 150 },
    { total_below: 100 },
  ],
  min: [
    { key_above: -50 },
    { key_in_top: 2 },
    { key_grows_by: 20 },
    { key_new_above: 0 },
    { total_above: -150 },
    { total_below: -100 },
  ],
};

/** Restrictions and lengths alternate, so that each condition and kind has some of them. */
const RESTRICTIONS = [
  { filter: null, probe: null },
  { filter: FILTER, probe: 'p1' },
  { filter: FILTER, probe: null },
  { filter: null, probe: 'p2' },
];

export const RULES: readonly Rule[] = KINDS.flatMap((kind, meter) =>
  CONDITIONS[kind].map((when, i) => {
    const { filter = null, probe = null } = RESTRICTIONS[(meter + i) % RESTRICTIONS.length] ?? {};
    return {
      meter,
      when,
      window_seconds: GRID * (1 + (i % 2)),
      for_windows: i === 0 ? 2 : 1,
      clear_windows: 1 + (meter % 2),
      max_keys: 1 + (i % 3),
      filter,
      probe,
    };
  }),
);

export const nameOf = (rule: Rule): string =>
  JSON.stringify([rule.meter, rule.when, rule.filter, rule.probe]);

type Sum = { sum: number; count: number };

/** The combined readings of a kind, by decision 23. */
function combined(kind: Kind, readings: readonly Sum[]): Sum | null {
  if (readings.length === 0) return null;
  const sums = readings.map(({ sum }) => sum);
  const count = readings.reduce((all, reading) => all + reading.count, 0);
  if (kind === 'max') return { sum: Math.max(...sums), count };
  if (kind === 'min') return { sum: Math.min(...sums), count };
  return { sum: sums.reduce((all, sum) => all + sum, 0), count };
}

/** The value by decisions 23 and 28: scaled by the sampling rate, then rounded half up; or 0. */
function shown(kind: Kind, reading: Sum | null): number {
  if (reading === null) return 0;
  const sampled = reading.sum * SAMPLING_RATE;
  if (kind === 'rate') return Math.floor((2 * sampled + GRID) / (2 * GRID));
  if (kind !== 'mean') return sampled;
  return Math.floor((2 * sampled + reading.count) / (2 * reading.count));
}

const exact = (kind: Kind, { sum, count }: Sum): number => (kind === 'mean' ? sum / count : sum);

/** The combined readings of each key in a window and the rule's probe, largest first. */
function keysIn(rule: Rule, lines: readonly Line[], from: number, to: number) {
  const kind = KINDS[rule.meter] ?? 'sum';
  const read = lines.filter(
    ({ ts, probe }) => ts >= from && ts < to && (rule.probe === null || probe === rule.probe),
  );
  const sumOf = ({ values, count = 1 }: Line): Sum => ({ sum: Number(values[rule.meter]), count });
  const keys = [...new Set(read.map(({ key }) => key))].flatMap((key) => {
    const sum = combined(kind, read.filter((line) => line.key === key).map(sumOf));
    // Decision 24: a counter that is zero is not listed.
    const isListed = sum !== null && (sum.sum !== 0 || (kind !== 'sum' && kind !== 'rate'));
    return isListed ? [{ key, sum }] : [];
  });
  return keys.toSorted(
    (a, b) => exact(kind, b.sum) - exact(kind, a.sum) || (a.key < b.key ? -1 : 1),
  );
}

/** What meets the condition in the window that ends at `end`, largest first. */
function meetingIn(rule: Rule, lines: readonly Line[], end: number): Met[] {
  const kind = KINDS[rule.meter] ?? 'sum';
  const { when, window_seconds: length } = rule;
  const all = keysIn(rule, lines, end - length, end);
  const now = rule.filter ? all.filter(({ key }) => passes(key)) : all;
  const before = keysIn(rule, lines, end - 2 * length, end - length);
  const valueBefore = (wanted: string) => before.find(({ key }) => key === wanted)?.sum ?? null;
  const met = now.map(({ key, sum }) => ({ key, value: shown(kind, sum) }));
  const above = (found: typeof met, threshold: number) =>
    found.filter(({ value }) => value > threshold);
  if (when.key_above !== undefined) return above(met, when.key_above);
  if (when.key_share_above !== undefined) {
    const share = when.key_share_above;
    const total =
      combined(
        kind,
        all.map(({ sum }) => sum),
      )?.sum ?? 0;
    return met.filter((_, i) => (now[i]?.sum.sum ?? 0) / total > share);
  }
  if (when.key_in_top !== undefined) return met.slice(0, when.key_in_top);
  if (when.key_new_above !== undefined) {
    return above(met, when.key_new_above).filter(({ key }) => valueBefore(key) === null);
  }
  if (when.key_grows_by !== undefined) {
    const grown = met.map(({ key, value }) => ({
      key,
      value: value - shown(kind, valueBefore(key)),
    }));
    const sorted = grown.toSorted((a, b) => b.value - a.value || (a.key < b.key ? -1 : 1));
    return above(sorted, when.key_grows_by);
  }
  const total = shown(
    kind,
    combined(
      kind,
      now.map(({ sum }) => sum),
    ),
  );
  const { total_above: over = Number.POSITIVE_INFINITY } = when;
  const { total_below: under = Number.NEGATIVE_INFINITY } = when;
  return total > over || total < under ? [{ key: null, value: total }] : [];
}

/** The events of a rule on these lines. */
export const eventsIn = (rule: Rule, lines: readonly Line[]): ExpectedEvent[] =>
  eventsOf(rule, ENDS, (end) => meetingIn(rule, lines, end));
