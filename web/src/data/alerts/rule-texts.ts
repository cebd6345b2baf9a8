import type { AlertComparison, AlertInput, KeyFilterInput } from '../../../generated/operations.ts';
import type { Address, Units } from '../../address/address.ts';
import { type ContextChoice, firstMeter, type GroupChoice, groupOf, meterOf } from '../choices.ts';
import { parseTags, tagsText } from '../edits/slice-tags.ts';
import { hasNetworks } from '../networks.ts';
import { filterInput } from '../questions.ts';
import type { EventRule } from './firing.ts';
import {
  type MeasuredRule,
  parsePercent,
  parseThreshold,
  thresholdTexts,
  thresholdUnits,
} from './threshold-units.ts';

/** The parts of a filter, each as the text of a field. Lists are separated by commas. */
export type FilterTexts = {
  readonly cidr: string;
  readonly excludeCidr: string;
  readonly keys: string;
  readonly excludeKeys: string;
  readonly search: string;
  readonly match: string;
  readonly exclude: string;
};

/** A rule, as in the fields of its form. */
export type RuleTexts = {
  readonly name: string;
  readonly severity: string;
  readonly description: string;
  readonly group: string;
  readonly meter: number;
  readonly comparison: AlertComparison;
  readonly amount: string;
  /** Name of the unit of the amount. */
  readonly unit: string;
  readonly windowSeconds: number;
  readonly filter: FilterTexts;
  readonly probe: string;
  readonly forWindows: string;
  readonly clearWindows: string;
  readonly maxKeys: string;
  readonly enabled: boolean;
};

type RuleFilter = NonNullable<EventRule['filter']>;

const listText = (list: readonly string[] | null | undefined): string => tagsText(list ?? []);

const filterTexts = (filter: KeyFilterInput | null): FilterTexts => ({
  cidr: listText(filter?.cidr),
  excludeCidr: listText(filter?.excludeCidr),
  keys: listText(filter?.keys),
  excludeKeys: listText(filter?.excludeKeys),
  search: filter?.search ?? '',
  match: filter?.match ?? '',
  exclude: filter?.exclude ?? '',
});

/** Returns the texts of a rule as it is. */
export function ruleTexts(rule: EventRule, units: Units): RuleTexts {
  const { counterGroup, meter, probe, description } = rule;
  return {
    ...rule,
    ...thresholdTexts(rule.threshold, thresholdUnits(rule, units)),
    description: description ?? '',
    group: counterGroup.guid,
    meter: meter.index,
    filter: filterTexts(rule.filter),
    probe: probe ?? '',
    forWindows: String(rule.forWindows),
    clearWindows: String(rule.clearWindows),
    maxKeys: String(rule.maxKeys),
  };
}

/** What a new rule takes over from the view in which it was begun; `key` may be readable. */
type Begun = Pick<Address, 'group' | 'meter' | 'probe' | 'key' | 'filters' | 'hidden' | 'units'>;

/** Returns the texts of a new rule about what the address shows. */
export function newRuleTexts(address: Begun, choice: ContextChoice): RuleTexts | null {
  const { key, filters, hidden, units } = address;
  const group = groupOf(choice, address.group) ?? choice.counterGroups[0];
  const meter = group && (meterOf(group, address.meter) ?? firstMeter(group));
  if (!group || !meter) return null;
  const about = key === null ? filterInput(filters, hidden) : { keys: [key] };
  const measured = {
    comparison: 'KEY_ABOVE',
    windowSeconds: group.topperBucketSize,
    meter,
  } as const;
  return {
    name: '',
    severity: 'warning',
    description: '',
    group: group.guid,
    meter: meter.index,
    comparison: 'KEY_ABOVE',
    amount: '',
    unit: usualUnit({ ...measured, counterGroup: group }, units),
    windowSeconds: group.topperBucketSize,
    filter: filterTexts(about),
    probe: address.probe ?? '',
    forWindows: '1',
    clearWindows: '1',
    maxKeys: '100',
    enabled: true,
  };
}

/** The unit that most people want first: with the prefix M, or minutes. */
function usualUnit(rule: MeasuredRule, units: Units): string {
  const all = thresholdUnits(rule, units);
  const usual = all.find(({ name }) => /^(M|minutes)/.test(name));
  return (all.length > 2 ? (usual ?? all[0]) : all[0])?.name ?? '';
}

/** Returns the rule of the form as far as sentences and units need it; null: no such group. */
export function saidRule(texts: RuleTexts, choice: ContextChoice, units: Units): EventRule | null {
  const counterGroup = groupOf(choice, texts.group);
  const meter = meterOf(counterGroup, texts.meter);
  if (!counterGroup || !meter) return null;
  const measured = { ...texts, counterGroup, meter };
  const filter = filterOf(texts, counterGroup);
  return {
    ...measured,
    id: '',
    threshold: thresholdOf(texts, measured, units) ?? 0,
    condition: '',
    filter,
    filtered: filter !== null,
    probe: texts.probe.trim() || null,
    forWindows: wholeNumber(texts.forWindows) ?? 1,
    clearWindows: wholeNumber(texts.clearWindows) ?? 1,
    maxKeys: wholeNumber(texts.maxKeys) ?? 1,
    madeInPage: true,
    madeBy: null,
    silencedUntil: null,
    silencedBy: null,
    silenceReason: null,
  };
}

const wholeNumber = (text: string): number | null =>
  /^\d{1,9}$/.test(text.trim()) ? Number(text) : null;

/** Returns the fields that must be numbers and are none, which the server would not understand. */
export const noNumbers = (texts: RuleTexts, rule: MeasuredRule, units: Units) => [
  ...(thresholdOf(texts, rule, units) === null ? (['threshold'] as const) : []),
  ...(['forWindows', 'clearWindows', 'maxKeys'] as const).filter(
    (name) => wholeNumber(texts[name]) === null,
  ),
];

/** Returns what the server compares; null: no number was typed. */
export function thresholdOf(
  { amount, unit }: Pick<RuleTexts, 'amount' | 'unit'>,
  rule: MeasuredRule,
  units: Units,
): number | null {
  if (rule.comparison === 'KEY_SHARE_ABOVE') return parsePercent(amount);
  const all = thresholdUnits(rule, units);
  const chosen = all.find(({ name }) => name === unit) ?? all[0];
  const exact = chosen ? parseThreshold(amount, chosen) : null;
  return exact === null ? null : Number(exact);
}

/** Returns the filter of a form; a field that is not shown does not count. null: all keys pass. */
function filterOf({ comparison, filter }: RuleTexts, group: GroupChoice): RuleFilter | null {
  const list = (text: string) => (comparison === 'SILENT_SECONDS' ? [] : parseTags(text));
  const networks = (text: string) => (hasNetworks(group) ? list(text) : []);
  const text = (given: string) => (comparison === 'SILENT_SECONDS' ? null : given.trim() || null);
  const parts = {
    cidr: networks(filter.cidr),
    excludeCidr: networks(filter.excludeCidr),
    keys: list(filter.keys),
    excludeKeys: list(filter.excludeKeys),
    search: text(filter.search),
    match: text(filter.match),
    exclude: text(filter.exclude),
  };
  return Object.values(parts).some((part) => part !== null && part.length > 0) ? parts : null;
}

/** Returns what is sent for a form. replaces: name of the rule that it changes; null: a new one. */
export function alertInput(texts: RuleTexts, rule: EventRule, replaces: string | null): AlertInput {
  return {
    name: texts.name.trim(),
    counterGroup: texts.group,
    meter: texts.meter,
    condition: texts.comparison,
    threshold: rule.threshold,
    windowSeconds: texts.windowSeconds,
    filter: rule.filter,
    probe: rule.probe,
    forWindows: rule.forWindows,
    clearWindows: rule.clearWindows,
    severity: texts.severity.trim() || null,
    description: texts.description.trim() || null,
    maxKeys: rule.maxKeys,
    enabled: texts.enabled,
    replaces,
  };
}

const HOUR = 3600;

/** What most people want, as far as the group has such windows. */
const USUAL_WINDOWS: readonly number[] = [
  60,
  300,
  600,
  900,
  1800,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  7 * 24 * HOUR,
];

/** Returns the lengths of windows to choose from, in seconds: multiples of the topper bucket. */
export function windowLengths(
  { windowSeconds }: Pick<RuleTexts, 'windowSeconds'>,
  group: Pick<GroupChoice, 'topperBucketSize'> | null,
): readonly number[] {
  const bucket = group?.topperBucketSize ?? 1;
  const lengths = [bucket, windowSeconds, ...USUAL_WINDOWS.filter((each) => each % bucket === 0)];
  return [...new Set(lengths)].sort((a, b) => a - b);
}
