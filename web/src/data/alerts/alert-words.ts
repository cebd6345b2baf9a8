import type { Units } from '../../address/address.ts';
import { type BigNumber, toNumber } from '../../format/big-number.ts';
import { longDuration } from '../../format/moment.ts';
import { formatAmount, formatRate, formatShare, joined, measureOf } from '../../format/quantity.ts';
import { meterKind } from '../meter-kind.ts';
import type { AlertEvent, EventRule } from './firing.ts';

/**
 * The metric of a rule's window in the viewer's units. The metric of a rate meter is its volume
 * divided by the topper bucket (decision 23); shown is the mean rate of the window, as in charts.
 */
export function metricText(value: BigNumber, rule: EventRule, units: Units): string {
  const { windowSeconds, counterGroup, meter } = rule;
  const measure = measureOf(meter.units);
  const rate = (toNumber(value) * counterGroup.topperBucketSize) / windowSeconds;
  const text = joined(
    meterKind(meter.type) === 'rate'
      ? formatRate(rate, measure, units)
      : formatAmount(value, measure, units),
  );
  return measure.kind === 'other' ? `${text} ${measure.name}` : text;
}

/** An event's `value` or `peakValue` in the viewer's units. */
export const valueText = (
  value: BigNumber,
  { alert }: Pick<AlertEvent, 'alert'>,
  units: Units,
): string =>
  alert.comparison === 'SILENT_SECONDS'
    ? longDuration(toNumber(value))
    : `${alert.comparison === 'KEY_GROWS_BY' ? '+' : ''}${metricText(value, alert, units)}`;

/**
 * What an event without a key is about: the group or, if its rule is about single keys, those keys
 * that exceed the number that may fire at once.
 */
export const keylessText = ({ comparison, counterGroup }: EventRule): string =>
  comparison.startsWith('KEY_')
    ? `Further keys of ${counterGroup.name}`
    : `All of ${counterGroup.name}`;

/**
 * Why an event began, as what its key did and what the rule allows: `moved 119 MB in 5 minutes; the
 * rule allows 100 MB`.
 */
export function reasonText(event: AlertEvent, units: Units): string {
  const { alert } = event;
  const { comparison, threshold } = alert;
  const value = valueText(event.value, event, units);
  const window = longDuration(alert.windowSeconds);
  const limit = () => metricText(threshold, alert, units);
  const did = `${verbOf(alert)} ${value} in ${window}`;
  switch (comparison) {
    case 'KEY_ABOVE':
    case 'TOTAL_ABOVE':
      return `${did}; the rule allows ${limit()}`;
    case 'KEY_SHARE_ABOVE':
      return `${did}, more than ${formatShare(threshold)} of the total`;
    case 'KEY_IN_TOP':
      return `${did}, which is in the top ${threshold}`;
    case 'KEY_GROWS_BY':
      return `${value} between two windows of ${window}; the rule allows +${limit()}`;
    case 'KEY_NEW_ABOVE':
      return `new, and ${did}; the rule allows ${limit()}`;
    case 'TOTAL_BELOW':
      return `${verbOf(alert)} only ${value} in ${window}; the rule requires ${limit()}`;
    case 'SILENT_SECONDS':
      return `no new data for ${value}; the rule allows ${longDuration(threshold)}`;
    default:
      return comparison satisfies never;
  }
}

/** What a key did that has a value of the rule's meter. */
function verbOf({ meter }: EventRule): string {
  const kind = meterKind(meter.type);
  if (kind === 'counter') return measureOf(meter.units).kind === 'other' ? 'had' : 'moved';
  return kind === 'extreme' ? 'reached' : 'averaged';
}

/** When a rule fires: `a key above 1.00 GB in 5 minutes`. */
export function conditionText(rule: EventRule, units: Units): string {
  const probe = rule.probe === null ? '' : ` from the probe ${rule.probe}`;
  const filter = rule.filtered ? ', counting only keys that pass its filter' : '';
  return `${comparisonText(rule, units)}${probe}${filter}`;
}

function comparisonText(rule: EventRule, units: Units): string {
  const { comparison, threshold } = rule;
  const window = longDuration(rule.windowSeconds);
  const metric = () => metricText(threshold, rule, units);
  switch (comparison) {
    case 'KEY_ABOVE':
      return `a key above ${metric()} in ${window}`;
    case 'KEY_SHARE_ABOVE':
      return `a key above ${formatShare(threshold)} of the total in ${window}`;
    case 'KEY_IN_TOP':
      return `a key in the top ${threshold} in ${window}`;
    case 'KEY_GROWS_BY':
      return `a key growing by more than ${metric()} between consecutive windows of ${window}`;
    case 'KEY_NEW_ABOVE':
      return `a new key above ${metric()} in ${window}`;
    case 'TOTAL_ABOVE':
      return `the total above ${metric()} in ${window}`;
    case 'TOTAL_BELOW':
      return `the total below ${metric()} in ${window}`;
    case 'SILENT_SECONDS':
      return `no new data for more than ${longDuration(threshold)}`;
    default:
      return comparison satisfies never;
  }
}
