import {
  BUCKET_SECONDS,
  generateTraffic,
  TOPPER_BUCKET_SECONDS,
  type TrafficShape,
  trafficKeys,
} from '../traffic/traffic.ts';
import type { MonthRule } from './month-rules.ts';

/** An event as `alerts test --json` writes it. */
export type EventLine = {
  readonly alert: string;
  readonly key: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly value: number;
  readonly peak_value: number;
};

/** Bytes by key id. */
type Sums = Map<number, number>;

type Met = { readonly id: number | null; readonly value: number };

/** The state of a key that fires or that met the condition in the last window. */
type Streak = { met: number; missed: number; event: Firing | null };

type Firing = { -readonly [field in keyof EventLine]: EventLine[field] };

const TEXTS = trafficKeys();

const textOf = (id: number): string => TEXTS[id] ?? '';

/**
 * Computes the events of the rules over all samples, with arithmetic that uses no code of the
 * product. Error: more keys fire than the rule allows, a case that is not computed here.
 */
export function plainEvents(
  shape: TrafficShape,
  rules: readonly MonthRule[],
): Map<string, EventLine[]> {
  const deciders = rules.map((rule) => decider(rule));
  const longest = Math.max(...rules.map(({ window_seconds }) => window_seconds));
  /** Sums of each topper bucket, newest last, for two windows of the longest rule. */
  const grid: Sums[] = [];
  let current: Sums = new Map();
  for (const { start, count, keys, readings } of generateTraffic(shape)) {
    const [bytes] = readings;
    for (let i = 0; i < count; i += 1) {
      const id = keys[i] ?? 0;
      current.set(id, (current.get(id) ?? 0) + (bytes[i] ?? 0));
    }
    const end = start + BUCKET_SECONDS;
    if (end % TOPPER_BUCKET_SECONDS !== 0) continue;
    grid.push(current);
    current = new Map();
    if (grid.length > (2 * longest) / TOPPER_BUCKET_SECONDS) grid.shift();
    for (const decide of deciders) decide.window(grid, end);
  }
  return new Map(deciders.map((decide, i) => [rules[i]?.name ?? '', decide.events]));
}

function decider(rule: MonthRule) {
  const streaks = new Map<number | null, Streak>();
  const events: Firing[] = [];
  const begin = (id: number | null, value: number, end: number): Firing => {
    const event: Firing = {
      alert: rule.name,
      key: id === null ? null : textOf(id),
      started_at: end,
      ended_at: null,
      value,
      peak_value: value,
    };
    events.push(event);
    return event;
  };
  const window = (grid: readonly Sums[], end: number): void => {
    const met = new Map(
      meeting(rule, grid)
        .filter(({ id }) => rule.filter === null || id === null || isInNetwork(id))
        .map(({ id, value }) => [id, value]),
    );
    for (const id of met.keys()) {
      if (!streaks.has(id)) streaks.set(id, { met: 0, missed: 0, event: null });
    }
    for (const [id, streak] of streaks) {
      const value = met.get(id);
      streak.met = value === undefined ? 0 : streak.met + 1;
      streak.missed = value === undefined ? streak.missed + 1 : 0;
      const { event } = streak;
      if (event && value !== undefined) event.peak_value = furthest(rule, event, value);
      else if (event && streak.missed >= rule.clear_windows) {
        event.ended_at = end;
        streaks.delete(id);
      } else if (!event && value === undefined) streaks.delete(id);
      else if (value !== undefined && streak.met >= rule.for_windows) {
        streak.event = begin(id, value, end);
      }
    }
    const firing = [...streaks.values()].filter(({ event }) => event !== null);
    if (firing.length > rule.max_keys) throw new Error(`too many keys fire: ${rule.name}`);
  };
  return { window, events };
}

const furthest = ({ when }: MonthRule, { peak_value }: EventLine, value: number): number =>
  'total_below' in when ? Math.min(peak_value, value) : Math.max(peak_value, value);

/** Returns everything that meets the condition in the newest window, before the filter applies. */
function meeting({ when, window_seconds }: MonthRule, grid: readonly Sums[]): Met[] {
  const length = window_seconds / TOPPER_BUCKET_SECONDS;
  const now = added(grid.slice(-length));
  const before = added(grid.slice(-2 * length, -length));
  const all = [...now].map(([id, value]) => ({ id, value }));
  const total = all.reduce((sum, { value }) => sum + value, 0);
  const above = (met: readonly Met[], threshold: number): Met[] =>
    met.filter(({ value }) => value > threshold);
  if ('key_above' in when) return above(all, when.key_above);
  if ('key_share_above' in when) {
    return all.filter(({ value }) => value / total > when.key_share_above);
  }
  if ('key_in_top' in when) {
    return all
      .toSorted((a, b) => b.value - a.value || (textOf(a.id) < textOf(b.id) ? -1 : 1))
      .slice(0, when.key_in_top);
  }
  if ('key_new_above' in when) {
    return above(
      all.filter(({ id }) => !before.has(id)),
      when.key_new_above,
    );
  }
  if ('key_grows_by' in when) {
    const grown = all.map(({ id, value }) => ({ id, value: value - (before.get(id) ?? 0) }));
    return above(grown, when.key_grows_by);
  }
  const isMet = 'total_above' in when ? total > when.total_above : total < when.total_below;
  return isMet ? [{ id: null, value: total }] : [];
}

function added(parts: readonly Sums[]): Sums {
  const [first] = parts;
  if (parts.length === 1 && first) return first;
  const all: Sums = new Map();
  for (const part of parts) {
    for (const [id, value] of part) all.set(id, (all.get(id) ?? 0) + value);
  }
  return all;
}

/** Whether a key is in `FILTERED_NETWORK`: its second byte is below 64. */
const isInNetwork = (id: number): boolean => Number.parseInt(textOf(id).slice(3, 5), 16) < 64;
