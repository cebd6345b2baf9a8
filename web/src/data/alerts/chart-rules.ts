import type { ChartRules } from '../../chart/rule-marks.ts';
import { isolated } from '../../format/isolated.ts';
import { longDuration } from '../../format/moment.ts';
import { compareSeverities, urgencyOf } from '../../format/severity.ts';
import { visibleText } from '../../format/visible.ts';
import type { Span } from '../choices.ts';
import { addsUp, type MeterKind } from '../meter-kind.ts';
import type { EventRule } from './firing.ts';
import type { Watched, WatchedEvent } from './watched.ts';

/** The properties of a chart that decide how rules are shown in it. */
export type WatchedChart = {
  readonly kind: MeterKind;
  /** Seconds that each of its values covers. */
  readonly step: number;
  readonly topperBucketSize: number;
  /** Rules are about keys of the group, not about networks that replace its addresses. */
  readonly of: 'keys' | 'networks';
  readonly shows: ChartShows;
};

export type ChartShows =
  /** isTotal: others are on top, and no key is hidden. */
  | { readonly kind: 'stack'; readonly isTotal: boolean }
  /** A line for each of some keys. */
  | { readonly kind: 'lines' }
  /** One key. hasFired: the rule of that name is known to have fired for it. */
  | { readonly kind: 'key'; readonly hasFired: (rule: string) => boolean };

/** Where a rule's threshold is drawn, in the units of the chart's data; or why it is not. */
export type DrawnRule =
  | { readonly at: number; readonly why: null }
  | { readonly at: null; readonly why: string };

/**
 * A threshold applies to a whole window; a chart draws a value for each step, per second if values
 * add up. "Above the line" means "the rule fires" only under these conditions:
 *
 * - The step is as long as the window. A shorter step can be above the line in a window that is
 *   not, and a longer one can be below it although a window within it is not. Windows end at each
 *   topper bucket, steps begin at multiples of their length. If a window is longer than a topper
 *   bucket, the steps are therefore only some of the windows, and an event may begin at another.
 * - The values are the same. A counter's metric is the sum of its window: N in W seconds is drawn
 *   at N / W. A rate meter's metric is its volume divided by the topper bucket of T seconds
 *   (decision 23), so N is drawn at the mean rate N × T / W. Means and extremes are drawn as they
 *   are.
 * - The height is what the rule compares. In a stack it is a sum of keys: a rule about the total
 *   has a line if the stack is the total, and one about single keys has none. Where each key has a
 *   line of its own it is the other way round.
 */
export function drawnRule(rule: EventRule, chart: WatchedChart): DrawnRule {
  const why = whyNoLine(rule, chart);
  if (why !== null) return { at: null, why };
  const { threshold, windowSeconds } = rule;
  if (!addsUp(chart.kind)) return { at: threshold, why };
  const perSecond = threshold / windowSeconds;
  return { at: chart.kind === 'rate' ? perSecond * chart.topperBucketSize : perSecond, why };
}

function whyNoLine(rule: EventRule, { step, of, shows }: WatchedChart): string | null {
  const { comparison, windowSeconds } = rule;
  const isOfTotal = comparison === 'TOTAL_ABOVE' || comparison === 'TOTAL_BELOW';
  if (!isOfTotal && comparison !== 'KEY_ABOVE') return 'the chart has no such values';
  if (isOfTotal && shows.kind !== 'stack')
    return 'it is about the total, which this chart does not show';
  if (!isOfTotal && of === 'networks') return 'it is about single addresses, not networks';
  if (!isOfTotal && shows.kind === 'stack') return 'it is about single keys; open a key to see it';
  if (shows.kind === 'stack' && !shows.isTotal) {
    return 'the stack is the total only with others on top and no hidden keys';
  }
  if (rule.filtered && !(shows.kind === 'key' && shows.hasFired(rule.name))) {
    return 'it is about the keys that pass its filter';
  }
  if (step === windowSeconds) return null;
  return `it needs a chart with one value per ${longDuration(windowSeconds).replace(/^1 /, '')}`;
}

/** The rules drawn in a chart, and the contents of its list of rules. */
export type RulesInChart = {
  readonly drawn: ChartRules;
  readonly rules: readonly RuleInChart[];
};

export type RuleInChart = {
  readonly rule: EventRule;
  readonly line: DrawnRule;
  /** Number of marks of its events. */
  readonly marks: number;
};

const leastFirst = (a: WatchedEvent, b: WatchedEvent): number =>
  compareSeverities(b.severity, a.severity);

type Seen = {
  readonly span: Span;
  /** Raw key of the chart; null: it has several keys. */
  readonly key: string | null;
};

export function rulesInChart(
  { rules, events }: Watched,
  chart: WatchedChart,
  { span, key }: Seen,
): RulesInChart {
  const marks = events
    .filter(({ startedAt }) => startedAt > span.from && startedAt <= span.to)
    // The chart of a key has the events of that key and of the whole group.
    .filter((event) => key === null || event.key === null || event.key.key === key);
  const listed = rules.map((rule) => ({
    rule,
    line: drawnRule(rule, chart),
    marks: marks.filter((event) => event.rule === rule.name).length,
  }));
  return {
    rules: listed,
    drawn: {
      lines: listed.flatMap(({ rule, line }) =>
        line.at === null
          ? []
          : [{ name: rule.name, urgency: urgencyOf(rule.severity), at: line.at }],
      ),
      // Of marks at the same time, the worst is drawn last, on top.
      marks: marks.toSorted(leastFirst).map(({ id, startedAt, severity, rule, key: about }) => ({
        id,
        at: startedAt,
        urgency: urgencyOf(severity),
        text: about
          ? `${isolated(rule)} began: ${isolated(visibleText(about.label, about.readable))}`
          : `${isolated(rule)} began`,
      })),
    },
  };
}
