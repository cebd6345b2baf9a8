import {
  KeyPanel0,
  type KeyPanel0Query,
  KeyPanel1,
  type KeyPanel1Query,
  KeyPanel2,
  type KeyPanel2Query,
  KeyPanel3,
  type KeyPanel3Query,
  type KeyPanel3QueryVariables,
} from '../../generated/operations.ts';
import type { Address } from '../address/address.ts';
import type { Operation } from '../api/operation.ts';
import { type ContextChoice, type GroupChoice, groupOf, likeMeter, meterOf } from './choices.ts';
import { DRILLED, keyVariables } from './questions.ts';

export type KeyAnswer = KeyPanel0Query | KeyPanel1Query | KeyPanel2Query | KeyPanel3Query;

type Figures = NonNullable<
  NonNullable<NonNullable<KeyPanel3Query['context']>['counterGroup']>['topper']
>['keys'][number];

export type Drilldown = NonNullable<Figures['first']>;

/** One document for each number of groups to drill down by; of more, some are shown at a time. */
const OPERATIONS: readonly Operation<KeyAnswer, KeyPanel3QueryVariables>[] = [
  KeyPanel0,
  KeyPanel1,
  KeyPanel2,
  KeyPanel3,
];

export const DRILLDOWNS = OPERATIONS.length - 1;

export type KeyQuestion = {
  readonly operation: Operation<KeyAnswer, KeyPanel3QueryVariables>;
  readonly variables: KeyPanel3QueryVariables;
};

/** All of a key in one question. */
export function keyQuestion(address: Address, choice: ContextChoice, key: string): KeyQuestion {
  const group = groupOf(choice, address.group);
  const meter = meterOf(group, address.meter);
  const drilldowns = drilldownGroups(choice, group, address.by).shown.map((each) => ({
    guid: each.guid,
    meter: likeMeter(each, meter)?.index ?? 0,
  }));
  const [first, second, third] = drilldowns;
  return {
    operation: OPERATIONS[drilldowns.length] ?? KeyPanel0,
    // Those beyond what the document declares mean nothing.
    variables: {
      ...keyVariables(address, choice, key),
      drilled: DRILLED,
      first: first?.guid ?? NO_GROUP,
      firstMeter: first?.meter ?? 0,
      second: second?.guid ?? NO_GROUP,
      secondMeter: second?.meter ?? 0,
      third: third?.guid ?? NO_GROUP,
      thirdMeter: third?.meter ?? 0,
    },
  };
}

const NO_GROUP = '{00000000-0000-0000-0000-000000000000}';

/**
 * Cross-key groups that the key's group is part of: as many as are asked for at once, from `first`
 * on, and the others.
 */
export function drilldownGroups(
  choice: ContextChoice,
  group: GroupChoice | null,
  first: string | null,
): { readonly shown: readonly GroupChoice[]; readonly more: readonly GroupChoice[] } {
  const all = (group?.drilldowns ?? []).flatMap(({ guid }) => groupOf(choice, guid) ?? []);
  const start = Math.max(
    0,
    all.findIndex(({ guid }) => guid === first),
  );
  const shown = [...all.slice(start), ...all.slice(0, start)].slice(0, DRILLDOWNS);
  return { shown, more: all.filter((each) => !shown.includes(each)) };
}

type AnsweredGroup = NonNullable<NonNullable<KeyAnswer['context']>['counterGroup']>;

export type ShownKey = {
  readonly known: AnsweredGroup['known'];
  readonly window: { readonly from: number; readonly to: number } | null;
  /** For when there are data of the group. */
  readonly stored: { readonly from: number; readonly to: number } | null;
  readonly total: number | string;
  readonly figures: Omit<Figures, 'first' | 'second' | 'third'> | null;
  readonly drilldowns: readonly Drilldown[];
};

export function shownKey(answer: KeyAnswer | null): ShownKey | null {
  const group = answer?.context?.counterGroup ?? null;
  if (!group) return null;
  const figures: Partial<Figures> | null = group.topper?.keys[0] ?? null;
  const whole = group.topper?.keys[0] ?? null;
  return {
    known: group.known,
    window: group.topper?.window ?? null,
    stored: group.timeInterval,
    total: group.topper?.total ?? 0,
    figures: whole,
    drilldowns: [figures?.first, figures?.second, figures?.third].flatMap((each) => each ?? []),
  };
}
