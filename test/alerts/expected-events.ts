import type { AlertCondition } from '../../domain/alerts/rule.ts';
import type { Line } from '../support/lab/service.ts';

/** A rule about a summing meter, as in an `apply` file, without defaults. */
export type ExpectedRule = {
  readonly when: { readonly [condition in AlertCondition]?: number };
  readonly window_seconds: number;
  readonly for_windows: number;
  readonly clear_windows: number;
  readonly max_keys: number;
};

export type ExpectedEvent = {
  readonly key: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly value: number;
  readonly peakValue: number;
};

/** A key that meets the condition in a window; null: the whole group does. */
export type Met = { readonly key: string | null; readonly value: number };

/**
 * The events of a rule, by plain arithmetic over sample lines, as the specification defines them.
 * A window ends at each of `ends`, which are consecutive.
 */
export const expectedEvents = (
  rule: ExpectedRule,
  lines: readonly Line[],
  ends: readonly number[],
): ExpectedEvent[] => eventsOf(rule, ends, (end) => meeting(rule, lines, end));

/** The same, but `meetingIn` returns what meets the condition in a window, largest first. */
export function eventsOf(
  rule: ExpectedRule,
  ends: readonly number[],
  meetingIn: (end: number) => readonly Met[],
): ExpectedEvent[] {
  const events: { -readonly [field in keyof ExpectedEvent]: ExpectedEvent[field] }[] = [];
  const firing = (key: string | null) =>
    events.find((event) => event.key === key && event.endedAt === null);
  const metIn = ends.map(meetingIn);
  const isMet = (key: string | null, i: number): boolean =>
    (metIn[i] ?? []).some((met) => met.key === key);
  /** Whether the last `count` windows up to the i-th all pass the test. */
  const allOf = (i: number, count: number, test: (i: number) => boolean): boolean =>
    i + 1 >= count && Array.from({ length: count }, (_, back) => i - back).every(test);
  const isAboutKeys = !Object.keys(rule.when)[0]?.startsWith('total');
  const overflowMissed = { windows: 0 };
  for (const [i, end] of ends.entries()) {
    const met = metIn[i] ?? [];
    for (const event of events.filter(({ endedAt }) => endedAt === null)) {
      if (isAboutKeys && event.key === null) continue;
      const found = met.find(({ key }) => key === event.key);
      if (found) event.peakValue = furthest(rule, event.peakValue, found.value);
      const begun = ends.indexOf(event.startedAt);
      const isOver = allOf(
        i,
        rule.clear_windows,
        (each) => each > begun && !isMet(event.key, each),
      );
      if (isOver) event.endedAt = end;
    }
    const waiting = met.filter(
      ({ key }) =>
        !firing(key) &&
        !events.some((event) => event.key === key && event.endedAt === end) &&
        allOf(i, rule.for_windows, (each) => isMet(key, each)),
    );
    const keysFiring = events.filter(({ endedAt, key }) => endedAt === null && key !== null);
    const places = Math.max(0, rule.max_keys - (isAboutKeys ? keysFiring.length : 0));
    for (const { key, value } of waiting.slice(0, places)) {
      events.push({ key, startedAt: end, endedAt: null, value, peakValue: value });
    }
    if (!isAboutKeys) continue;
    const [left] = waiting.slice(places);
    const overflow = firing(null);
    if (overflow && left) {
      overflow.peakValue = Math.max(overflow.peakValue, left.value);
      overflowMissed.windows = 0;
    } else if (overflow) {
      overflowMissed.windows += 1;
      if (overflowMissed.windows >= rule.clear_windows) overflow.endedAt = end;
    } else if (left) {
      events.push({
        key: null,
        startedAt: end,
        endedAt: null,
        value: left.value,
        peakValue: left.value,
      });
      overflowMissed.windows = 0;
    }
  }
  return events.toSorted(
    (a, b) => a.startedAt - b.startedAt || ((a.key ?? '') < (b.key ?? '') ? -1 : 1),
  );
}

const furthest = ({ when }: ExpectedRule, a: number, b: number): number =>
  when.total_below === undefined ? Math.max(a, b) : Math.min(a, b);

/** What meets the condition in the window that ends at `end`, largest first. */
function meeting(rule: ExpectedRule, lines: readonly Line[], end: number): Met[] {
  const { when, window_seconds: length } = rule;
  const now = sums(lines, end - length, end);
  const before = sums(lines, end - 2 * length, end - length);
  const total = now.reduce((sum, { value }) => sum + value, 0);
  const above = (met: readonly Met[], threshold: number) =>
    met.filter(({ value }) => value > threshold);
  const valueBefore = (wanted: string | null) =>
    before.find(({ key }) => key === wanted)?.value ?? 0;
  if (when.key_above !== undefined) return above(now, when.key_above);
  if (when.key_share_above !== undefined) {
    const share = when.key_share_above;
    return now.filter(({ value }) => value / total > share);
  }
  if (when.key_in_top !== undefined) return now.slice(0, when.key_in_top);
  if (when.key_new_above !== undefined) {
    return above(now, when.key_new_above).filter(({ key }) => valueBefore(key) === 0);
  }
  if (when.key_grows_by !== undefined) {
    const grown = now.map(({ key, value }) => ({ key, value: value - valueBefore(key) }));
    return above(grown.toSorted(largestFirst), when.key_grows_by);
  }
  const whole: Met = { key: null, value: total };
  if (when.total_above !== undefined) return total > when.total_above ? [whole] : [];
  if (when.total_below !== undefined) return total < when.total_below ? [whole] : [];
  throw new Error('a rule must have a condition of windows');
}

/** The sums of meter 0 by key, largest first, as a topper lists them. */
function sums(lines: readonly Line[], from: number, to: number): Met[] {
  const byKey = new Map<string, number>();
  for (const { key, ts, values } of lines) {
    if (ts < from || ts >= to) continue;
    byKey.set(key, (byKey.get(key) ?? 0) + Number(values[0] ?? 0));
  }
  return [...byKey]
    .map(([key, value]) => ({ key, value }))
    .filter(({ value }) => value > 0)
    .toSorted(largestFirst);
}

const largestFirst = (a: Met, b: Met): number =>
  b.value - a.value || (String(a.key) < String(b.key) ? -1 : 1);
