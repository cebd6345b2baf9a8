import type { Units } from '../../address/address.ts';
import { isolated } from '../../format/isolated.ts';
import { longDuration } from '../../format/moment.ts';
import { formatShare } from '../../format/quantity.ts';
import { metricText } from './alert-words.ts';
import type { EventRule } from './firing.ts';

/**
 * Everything that a rule says, in a sentence: `any key of Hosts with Total above 100 MB in 5
 * minutes`.
 */
export function ruleText(rule: EventRule, units: Units): string {
  const probe = rule.probe === null ? '' : `, from the probe ${isolated(rule.probe)}`;
  const filter = rule.filtered ? ', counting only keys that pass its filter' : '';
  return `${firesText(rule, units)}${filter}${probe}`;
}

function firesText(rule: EventRule, units: Units): string {
  const { comparison, threshold, counterGroup } = rule;
  const group = isolated(counterGroup.name);
  const meter = isolated(rule.meter.name);
  const window = longDuration(rule.windowSeconds);
  const limit = () => metricText(threshold, rule, units);
  switch (comparison) {
    case 'KEY_ABOVE':
      return `any key of ${group} with ${meter} above ${limit()} in ${window}`;
    case 'KEY_SHARE_ABOVE':
      return `any key of ${group} with more than ${formatShare(threshold)} of all ${meter} in ${window}`;
    case 'KEY_IN_TOP':
      return `any key in the top ${threshold} of ${group} by ${meter} in ${window}`;
    case 'KEY_GROWS_BY':
      return `any key of ${group} whose ${meter} in ${window} is more than ${limit()} above that of the window before`;
    case 'KEY_NEW_ABOVE':
      return `any new key of ${group} with ${meter} above ${limit()} in ${window}`;
    case 'TOTAL_ABOVE':
      return `${group} with ${meter} above ${limit()} in total in ${window}`;
    case 'TOTAL_BELOW':
      return `${group} with ${meter} below ${limit()} in total in ${window}`;
    case 'SILENT_SECONDS':
      return `no new data in ${group} for more than ${longDuration(threshold)}`;
    default:
      return comparison satisfies never;
  }
}
