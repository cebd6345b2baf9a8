import type { Units } from '../../address/address.ts';
import { isolated } from '../../format/isolated.ts';
import { longDuration } from '../../format/moment.ts';
import { formatShare } from '../../format/quantity.ts';
import { metricText } from './alert-words.ts';
import type { EventRule } from './firing.ts';

/**
 * Everything that a rule says, in a sentence: `any key of Hosts in 10.0.0.0/8 with Total above 100 MB
 * in 5 minutes; ends after 2 windows without`.
 */
export function ruleText(rule: EventRule, units: Units): string {
  const { forWindows, clearWindows } = rule;
  const probe = rule.probe === null ? '' : `, from the probe ${isolated(rule.probe)}`;
  const inRow = forWindows > 1 ? `, ${forWindows} windows in a row` : '';
  const ends = clearWindows > 1 ? `; ends after ${clearWindows} windows without` : '';
  return `${firesText(rule, units)}${probe}${inRow}${ends}`;
}

/** The keys of a rule: `Hosts in 10.0.0.0/8 but not in 10.1.0.0/16`. */
function watchedText({ counterGroup, filter, filtered }: EventRule): string {
  const group = isolated(counterGroup.name);
  // A limited grant shows that there is a filter, but not which.
  if (!filter) return filtered ? `${group} that pass its filter` : group;
  const { cidr, excludeCidr, keys, excludeKeys, search, match, exclude } = filter;
  const parts = [
    ...list('in', cidr),
    ...list('outside', excludeCidr),
    ...list('among', keys),
    ...list('except', excludeKeys),
    ...(search === null ? [] : [`whose name contains “${isolated(search)}”`]),
    ...(match === null ? [] : [`whose raw key matches ${isolated(match)}`]),
    ...(exclude === null ? [] : [`whose raw key does not match ${isolated(exclude)}`]),
  ];
  return [group, ...parts].join(' ');
}

const list = (word: string, items: readonly string[]): readonly string[] =>
  items.length === 0 ? [] : [`${word} ${items.map(isolated).join(', ')}`];

function firesText(rule: EventRule, units: Units): string {
  const { comparison, threshold } = rule;
  const group = watchedText(rule);
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
