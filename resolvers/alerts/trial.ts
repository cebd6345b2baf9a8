import type { AlertEvent } from '../../domain/alerts/decide-windows.ts';
import { givenMistakes, mistakesText } from '../../domain/alerts/given-mistakes.ts';
import type { AlertRule } from '../../domain/alerts/rule.ts';
import {
  type GivenRule,
  type RuleMistake,
  ruleMistakes,
  wantedRule,
} from '../../domain/alerts/rule-mistakes.ts';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Guid } from '../../domain/text/guid.ts';
import type { Interval } from '../../domain/time/interval.ts';
import type { WindowRequest } from '../../domain/time/window.ts';
import { type ContextView, signedIn } from '../contexts.ts';
import { type CounterGroupView, findGroup } from '../counter-groups.ts';
import { type KeyView, viewKeys } from '../keys.ts';
import type { RequestReads } from '../loaders/request-reads.ts';
import type { RequestScope } from '../request-scope.ts';
import { Turns } from '../turns.ts';
import { windowOf } from '../window-of.ts';
import { tryRule } from './try-rule.ts';

/** A rule to try, and when. */
type RuleToTry = {
  readonly given: GivenRule;
  readonly counterGroup: Guid;
  readonly window: WindowRequest;
  /** IANA name. */
  readonly timeZone: string;
};

/** An event that a rule would have had, in the context of the trial. */
export type TrialEventView = { readonly at: ContextView; readonly event: AlertEvent } & {
  readonly key: KeyView | null;
};

/** What a rule would have done. */
export type TrialView = {
  readonly at: ContextView;
  /** In the order in which they began, at most a limited number. */
  readonly events: readonly TrialEventView[];
  /** The number of all events. */
  readonly fired: number;
  readonly windows: number;
  /** Windows that end after `from` and by `to` were evaluated; null: none. */
  readonly window: Interval | null;
};

/** The trials of all requests. Each keeps many windows in memory while it reads them. */
const TRIALS = new Turns(LIMITS.trialsAtOnce);

/** The latest trial of each request. */
const latestTrials = new WeakMap<RequestReads, Promise<unknown>>();

/**
 * Evaluates a rule on stored data as `alerts test` does, with the loaders of the request. Of a
 * longer window, the newest part is evaluated. Errors: `notEditor`, `partOfAlerts`, `invalidAlert`,
 * an invalid window.
 */
export async function tryAlert(
  scope: RequestScope,
  at: ContextView,
  rule: RuleToTry,
): Promise<TrialView> {
  requireWhole(scope, at);
  // One after the other, so that a request with many lets those of others in between.
  const before = latestTrials.get(scope.reads) ?? Promise.resolve();
  const trial = before
    .catch(() => undefined)
    .then(() => TRIALS.run(() => evaluatedTrial(scope, at, rule)));
  latestTrials.set(scope.reads, trial);
  return trial;
}

async function evaluatedTrial(
  scope: RequestScope,
  at: ContextView,
  { given, counterGroup, window: requested, timeZone }: RuleToTry,
): Promise<TrialView> {
  scope.signal.throwIfAborted();
  const group = await findGroup(at, counterGroup);
  const rule = checked(given, group, counterGroup, at);
  const { contextId, loaders } = at;
  const { window, available } = await windowOf(scope, rule.group, {
    requested,
    timeZone,
    probeId: null,
  });
  const events: AlertEvent[] = [];
  const report = await tryRule({
    inSnapshot: (work) => work(loaders),
    alert: { contextId, rule: rule.rule },
    within: newestPart(window, available, rule.group),
    signal: scope.signal,
    deadline: scope.reads.deadline,
    onEvent: (event) => {
      if (events.length < LIMITS.trialEvents) events.push(event);
    },
    onProgress: () => undefined,
  });
  const { windows, events: fired, ends } = report;
  const gridSeconds = rule.group.row.topperBucketSize;
  return {
    at,
    events: await viewEvents(rule.group, events),
    fired,
    windows,
    window: ends && { from: ends.first - gridSeconds, to: ends.last },
  };
}

/** A rule reads all of a context, so that only an editor of all of it may try one. */
function requireWhole(scope: RequestScope, { name: context }: ContextView): void {
  const { username, contexts } = signedIn(scope);
  const granted = contexts.get(context);
  if (granted?.role !== 'editor') throw serviceError('notEditor', { username, context });
  if (granted.limit !== null) throw serviceError('partOfAlerts', { username, context });
}

type CheckedRule = { readonly group: CounterGroupView; readonly rule: AlertRule };

/** Errors: `invalidAlert`. */
function checked(
  given: GivenRule,
  group: CounterGroupView | null,
  guid: Guid,
  { name }: ContextView,
): CheckedRule {
  const inForm = givenMistakes(given);
  if (given.when.condition === 'silent_seconds') {
    const text =
      ' must be one with windows: silent_seconds compares the clock with the time of the last ' +
      'import, and cannot be tried';
    inForm.push({ field: 'condition', text });
  }
  const watched = group && { ...group.row, meters: group.meters.map(meterOf) };
  const rule = watched && wantedRule(given, watched);
  const none = ` must be an enabled group of context ${name}, got ${guid}`;
  const ofGroup: RuleMistake[] = rule
    ? ruleMistakes(rule, watched, group.kinds)
    : [{ field: 'group', text: none }];
  const wrong = mistakesText(inForm, ofGroup);
  if (group && rule && wrong === null) return { group, rule };
  throw serviceError('invalidAlert', { 'what is wrong': wrong ?? none });
}

const meterOf = ({ meterId, type, name }: CounterGroupView['meters'][number]) => ({
  id: meterId,
  type,
  name,
});

/** Returns the newest part of a window that has at most the number of windows that are read. */
function newestPart(
  { from, to }: Interval,
  available: Interval | null,
  { row }: CounterGroupView,
): Interval {
  const end = Math.min(to, available?.to ?? to);
  return { from: Math.max(from, end - LIMITS.trialWindows * row.topperBucketSize), to: end };
}

async function viewEvents(
  group: CounterGroupView,
  events: readonly AlertEvent[],
): Promise<TrialEventView[]> {
  const keys = [...new Set(events.flatMap(({ key }) => key ?? []))];
  const views = await viewKeys(group, keys, null);
  const viewOf = new Map(keys.map((key, i) => [key, views[i]]));
  return events
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map((event) => ({
      at: group.at,
      event,
      key: event.key === null ? null : (viewOf.get(event.key) ?? null),
    }));
}
