import type { EpochSeconds } from '../time/interval.ts';
import type { AlertRule } from './rule.ts';

/** A key that meets the condition of a rule in a window; null: the whole group does. */
export type MetKey = { readonly key: string | null; readonly value: bigint };

/** What was found in a window. */
export type Finding = {
  readonly end: EpochSeconds;
  /** All that meet the condition, the largest first. */
  readonly met: readonly MetKey[];
};

/** An event of a rule. Key and start identify it among the events of the rule. */
export type AlertEvent = {
  readonly key: string | null;
  readonly startedAt: EpochSeconds;
  /** null: it is firing. */
  readonly endedAt: EpochSeconds | null;
  readonly value: bigint;
  readonly peakValue: bigint;
};

/** Numbers of consecutive windows, by key. */
export type Streaks = {
  /** Of keys that meet the condition and do not fire yet. */
  readonly met: ReadonlyMap<string | null, number>;
  /** Of firing keys that no longer meet it. */
  readonly missed: ReadonlyMap<string | null, number>;
};

/** The state of a rule between two windows. */
export type RuleState = {
  /** By key. */
  readonly firing: ReadonlyMap<string | null, AlertEvent>;
  readonly streaks: Streaks;
};

export const NOTHING_FIRES: RuleState = {
  firing: new Map(),
  streaks: { met: new Map(), missed: new Map() },
};

export type Decided = {
  readonly state: RuleState;
  /** Events that began, ended or have a new peak, in their new state. */
  readonly changed: readonly AlertEvent[];
};

export type DecidingRule = Pick<AlertRule, 'when' | 'forWindows' | 'clearWindows' | 'maxKeys'>;

/** Decides the window after the one that led to `state`. */
export function evaluateWindow(rule: DecidingRule, state: RuleState, finding: Finding): Decided {
  const { end } = finding;
  const firing = new Map(state.firing);
  const { ready, met } = countStreaks(rule, state, finding);
  const missed = new Map<string | null, number>();
  const changed: AlertEvent[] = [];
  const note = (event: AlertEvent): void => {
    changed.push(event);
    if (event.endedAt === null) firing.set(event.key, event);
    else firing.delete(event.key);
  };
  /** Continues or ends an event that was firing. met null: its key does not meet the condition. */
  const goOn = (event: AlertEvent, met: MetKey | null): void => {
    if (met) {
      const peakValue = peakOf(rule, event, met);
      if (peakValue !== event.peakValue) note({ ...event, peakValue });
      return;
    }
    const windows = (state.streaks.missed.get(event.key) ?? 0) + 1;
    if (windows >= rule.clearWindows) note({ ...event, endedAt: end });
    else missed.set(event.key, windows);
  };
  const begin = ({ key, value }: MetKey): void => {
    note({ key, startedAt: end, endedAt: null, value, peakValue: value });
    met.delete(key);
  };

  const metByKey = new Map(finding.met.map((met) => [met.key, met]));
  for (const [key, event] of state.firing) {
    if (!isOverflow(rule, key)) goOn(event, metByKey.get(key) ?? null);
  }
  const keysFiring = [...firing.keys()].filter((key) => !isOverflow(rule, key)).length;
  const places = Math.max(0, rule.maxKeys - keysFiring);
  for (const each of ready.slice(0, places)) begin(each);
  // "While there are more, one event without a key fires besides": with their largest value.
  const [left] = ready.slice(places);
  const overflow = isOverflow(rule, null) ? state.firing.get(null) : undefined;
  if (overflow) goOn(overflow, left ?? null);
  else if (left) begin({ key: null, value: left.value });
  return { state: { firing, streaks: { met, missed } }, changed };
}

/** Whether the event has no key although the rule is about keys. */
const isOverflow = ({ when }: DecidingRule, key: string | null): boolean =>
  key === null && when.condition.startsWith('key_');

/**
 * Returns the keys that do not fire and have met the condition for enough windows, and the streaks
 * of all keys that do not fire. A streak counts up to one window less than needed.
 */
function countStreaks(
  { forWindows }: DecidingRule,
  { firing, streaks }: RuleState,
  finding: Finding,
): { ready: MetKey[]; met: Map<string | null, number> } {
  const ready: MetKey[] = [];
  const met = new Map<string | null, number>();
  for (const each of finding.met) {
    if (firing.has(each.key)) continue;
    const windows = (streaks.met.get(each.key) ?? 0) + 1;
    if (windows >= forWindows) ready.push(each);
    if (forWindows > 1) met.set(each.key, Math.min(windows, forWindows - 1));
  }
  return { ready, met };
}

/** The largest value since the event began; for `total_below`, the smallest. */
function peakOf({ when }: DecidingRule, { peakValue }: AlertEvent, { value }: MetKey): bigint {
  const isFurther = when.condition === 'total_below' ? value < peakValue : value > peakValue;
  return isFurther ? value : peakValue;
}

/**
 * Decides consecutive windows with the same findings. As soon as one window changes nothing, the
 * rest would not either and are skipped: a year costs as much as a few windows.
 */
export function evaluateAlike(
  rule: DecidingRule,
  state: RuleState,
  { first, last, gridSeconds, met }: AlikeWindows,
): Decided {
  const changed: AlertEvent[] = [];
  let now = state;
  for (let end = first; end <= last; end += gridSeconds) {
    const decided = evaluateWindow(rule, now, { end, met });
    const isSettled = decided.changed.length === 0 && areSame(now.streaks, decided.state.streaks);
    changed.push(...decided.changed);
    now = decided.state;
    if (isSettled) break;
  }
  return { state: now, changed };
}

/** Windows that end from `first` to `last`, with the same keys meeting the condition in each. */
export type AlikeWindows = {
  readonly first: EpochSeconds;
  readonly last: EpochSeconds;
  readonly gridSeconds: number;
  readonly met: readonly MetKey[];
};

const areSame = (a: Streaks, b: Streaks): boolean =>
  areSameCounts(a.met, b.met) && areSameCounts(a.missed, b.missed);

const areSameCounts = (
  a: ReadonlyMap<string | null, number>,
  b: ReadonlyMap<string | null, number>,
): boolean => a.size === b.size && [...a].every(([key, count]) => b.get(key) === count);
