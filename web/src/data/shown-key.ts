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
  NetworkPanel,
  type NetworkPanelQuery,
  type NetworkPanelQueryVariables,
} from '../../generated/operations.ts';
import type { Address } from '../address/address.ts';
import { DEFAULT_PREFIX } from '../address/prefix.ts';
import type { Fault, GraphQLProblem } from '../api/fault.ts';
import type { Operation } from '../api/operation.ts';
import { type AnswerPath, faultAt, faultElsewhere } from '../api/part-faults.ts';
import {
  type ContextChoice,
  type GroupChoice,
  groupOf,
  likeMeter,
  meterOf,
  type Span,
  type Subject,
} from './choices.ts';
import { earlierSpan } from './earlier.ts';
import { cidrOf } from './networks.ts';
import { DRILLED, keyVariables, NO_GROUP } from './questions.ts';
import { relevantProblems } from './shown-toppers.ts';

type KnownAnswer = KeyPanel0Query | KeyPanel1Query | KeyPanel2Query | KeyPanel3Query;

export type KeyAnswer = KnownAnswer | NetworkPanelQuery;

type KeyVariables = KeyPanel3QueryVariables & NetworkPanelQueryVariables;

type Figures = NonNullable<
  NonNullable<NonNullable<KeyPanel3Query['context']>['counterGroup']>['topper']
>['keys'][number];

/** A question has only as many of the drill-downs as the group has. */
type KeyFigures = Omit<Figures, 'first' | 'second' | 'third'>;

export type Drilldown = NonNullable<Figures['first']>;

/** One document for each number of drill-down groups; a panel shows no more at a time. */
const OPERATIONS: readonly Operation<KnownAnswer, KeyVariables>[] = [
  KeyPanel0,
  KeyPanel1,
  KeyPanel2,
  KeyPanel3,
];

const DRILLDOWNS = OPERATIONS.length - 1;

export type KeyQuestion = {
  readonly operation: Operation<KeyAnswer, KeyVariables>;
  readonly variables: KeyVariables;
};

/** Returns one question for everything about a key. */
export function keyQuestion(address: Address, choice: ContextChoice, key: string): KeyQuestion {
  const group = groupOf(choice, address.group);
  const meter = meterOf(group, address.meter);
  const drilldowns = drilldownGroups(choice, group, address.by).shown.map((each) => ({
    guid: each.guid,
    meter: likeMeter(each, meter)?.index ?? 0,
  }));
  const [first, second, third] = drilldowns;
  const { prefix } = address;
  return {
    operation: prefix ? NetworkPanel : (OPERATIONS[drilldowns.length] ?? KeyPanel0),
    // Variables that the document does not declare are ignored.
    variables: {
      ...keyVariables(address, choice, key),
      prefix: prefix ?? DEFAULT_PREFIX,
      cidr: cidrOf(key) ?? NO_NETWORK,
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

/** Used if the key is not a network. Its result is not shown without the key's figures. */
const NO_NETWORK = '0.0.0.0/32';

/**
 * Returns the cross-key groups that the key's group is part of: as many as one question asks for,
 * starting with `first`, and the others.
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

type KnownGroup = NonNullable<NonNullable<KnownAnswer['context']>['counterGroup']>;

type NetworkGroup = NonNullable<NonNullable<NetworkPanelQuery['context']>['counterGroup']>;

export type ShownKey = {
  readonly known: KnownGroup['known'];
  readonly window: Span | null;
  /** The time for which the group has data. */
  readonly stored: Span | null;
  readonly total: number | string;
  readonly figures: KeyFigures | null;
  readonly drilldowns: readonly Drilldown[];
  /** For a network: the largest addresses within it. */
  readonly network: { readonly cidr: string; readonly within: NetworkGroup['within'] } | null;
  readonly faults: KeyFaults;
  /** The question that it answers, not the next one. */
  readonly asked: Subject & { readonly meter: number; readonly step: number | null };
};

/** Why parts of an answer are missing; null: they are there. */
export type KeyFaults = {
  readonly figures: Fault | null;
  readonly chart: Fault | null;
  readonly known: Fault | null;
  readonly within: Fault | null;
  /** By the guid of the cross-key group. */
  readonly drilldowns: ReadonlyMap<string, Fault>;
  readonly rest: Fault | null;
};

type RequestedKey = {
  readonly rawKey: string;
  readonly variables: KeyVariables | null;
  readonly problems: readonly GraphQLProblem[];
};

export function shownKey(
  answer: KeyAnswer | null,
  { rawKey, variables, problems }: RequestedKey,
): ShownKey | null {
  const group: KnownGroup | NetworkGroup | null = answer?.context?.counterGroup ?? null;
  if (!group) return null;
  const cidr = cidrOf(rawKey) ?? rawKey;
  const isNetwork = 'within' in group;
  const window = group.topper?.window ?? null;
  const relevant = window
    ? relevantProblems(problems, earlierSpan(window, variables?.ago ?? null))
    : problems;
  const figures: (KeyFigures & Partial<Figures>) | null = group.topper?.keys[0] ?? null;
  return {
    known: isNetwork ? nothingKnown(rawKey, cidr) : group.known,
    window,
    stored: group.timeInterval,
    total: group.topper?.total ?? 0,
    figures,
    drilldowns: [figures?.first, figures?.second, figures?.third].flatMap((each) => each ?? []),
    network: isNetwork ? { cidr, within: group.within } : null,
    asked: {
      group: variables?.group ?? NO_GROUP,
      meter: variables?.meter ?? 0,
      probe: variables?.probe ?? null,
      step: variables?.step ?? null,
    },
    faults: faultsOf({ rawKey, variables, problems: relevant }, figures !== null),
  };
}

const GROUP = ['context', 'counterGroup'] as const;
const KNOWN = [...GROUP, 'known'] as const;
const WITHIN = [...GROUP, 'within'] as const;
const TOPPER = [...GROUP, 'topper'] as const;
const KEY = [...TOPPER, 'keys', 0] as const;
const SERIES = [...KEY, 'series'] as const;
const DRILLED_AS = ['first', 'second', 'third'] as const;

/** The parts in whose places their faults are shown. */
const PLACED: readonly AnswerPath[] = [
  SERIES,
  KNOWN,
  WITHIN,
  ...DRILLED_AS.map((field) => [...KEY, field]),
];

function faultsOf({ variables, problems }: RequestedKey, hasFigures: boolean): KeyFaults {
  const drilldowns = DRILLED_AS.flatMap((field) => {
    const fault = faultAt(problems, [...KEY, field]);
    return fault && variables ? [[variables[field], fault] as const] : [];
  });
  return {
    figures: hasFigures ? null : faultAt(problems, TOPPER),
    chart: faultAt(problems, SERIES),
    known: faultAt(problems, KNOWN),
    within: faultAt(problems, WITHIN),
    drilldowns: new Map(drilldowns),
    rest: faultElsewhere(problems, hasFigures ? PLACED : [...PLACED, TOPPER]),
  };
}

/** A network has only a name. */
const nothingKnown = (key: string, readable: string): KnownGroup['known'] => ({
  key,
  readable,
  label: readable,
  description: null,
  attributes: null,
});
