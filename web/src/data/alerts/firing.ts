import type { AlertOccurrenceFragment, AlertsQuery } from '../../../generated/operations.ts';
import { compareSeverities } from '../../format/severity.ts';

/** A rule as it is declared now, with its firing events. */
export type Rule = NonNullable<AlertsQuery['context']>['alerts'][number];

/** A rule as it was declared when an event of it began. */
export type EventRule = Omit<Rule, 'evaluatedTo' | 'firing'>;

export type AlertEvent = AlertOccurrenceFragment & { readonly alert: EventRule };

/** How much is firing. */
export type FiringCount = {
  readonly count: number;
  /** null: nothing is firing. */
  readonly worst: { readonly severity: string; readonly count: number } | null;
};

export function countFiring(rules: readonly Rule[]): FiringCount {
  const firing = rules.filter((rule) => rule.firing.length > 0);
  const countOf = (some: readonly Rule[]) =>
    some.reduce((sum, rule) => sum + rule.firing.length, 0);
  const [severity] = firing.map((rule) => rule.severity).sort(compareSeverities);
  const worst = firing.filter((rule) => rule.severity === severity);
  return {
    count: countOf(firing),
    worst: severity === undefined ? null : { severity, count: countOf(worst) },
  };
}

/** A short text, so that nothing is said by colour alone: `2 critical + 5`. */
export function firingText({ count, worst }: FiringCount): string {
  if (!worst) return 'none firing';
  const rest = count - worst.count;
  return `${worst.count} ${worst.severity}${rest > 0 ? ` + ${rest}` : ''}`;
}

/** The same as a sentence. */
export function firingSentence({ count, worst }: FiringCount): string {
  if (!worst) return 'No alert is firing';
  const all = `${count} ${count === 1 ? 'alert is' : 'alerts are'} firing`;
  return `${all}, ${worst.count} of severity ${worst.severity}`;
}

/** Orders events by what matters: first those that nobody looks after, the worst, the newest. */
export const compareEvents = (a: AlertEvent, b: AlertEvent): number =>
  Number(a.acknowledgedAt !== null) - Number(b.acknowledgedAt !== null) ||
  compareSeverities(a.alert.severity, b.alert.severity) ||
  b.startedAt - a.startedAt ||
  (a.id < b.id ? -1 : 1);

/** All firing events, those that matter most first. */
export const firingEvents = (rules: readonly Rule[]): readonly AlertEvent[] =>
  rules.flatMap((alert) => alert.firing.map((event) => ({ ...event, alert }))).sort(compareEvents);

/** Returns a text that differs between two answers if an event began or ended. */
export const firingMark = (rules: readonly Rule[]): string =>
  rules
    .flatMap(({ firing }) => firing.map(({ id }) => id))
    .sort()
    .join(' ');
