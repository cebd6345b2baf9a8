import {
  type DrilldownInput,
  KeyPanel,
  type KeyPanelQuery,
  type KeyPanelQueryVariables,
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

export type KeyAnswer = KeyPanelQuery | NetworkPanelQuery;

type KeyVariables = KeyPanelQueryVariables &
  NetworkPanelQueryVariables & { readonly by: readonly DrilldownInput[] };

type Figures = NonNullable<
  NonNullable<NonNullable<KeyPanelQuery['context']>['counterGroup']>['topper']
>['keys'][number];

/** A network has no drill-downs. */
type KeyFigures = Omit<Figures, 'drilldowns'>;

export type Drilldown = NonNullable<NonNullable<Figures['drilldowns']>[number]>;

/** A panel shows no more at a time. */
const DRILLDOWNS = 3;

export type KeyQuestion = {
  readonly operation: Operation<KeyAnswer, KeyVariables>;
  readonly variables: KeyVariables;
};

/** Returns one question for everything about a key. */
export function keyQuestion(address: Address, choice: ContextChoice, key: string): KeyQuestion {
  const group = groupOf(choice, address.group);
  const meter = meterOf(group, address.meter);
  const { prefix } = address;
  return {
    operation: prefix ? NetworkPanel : KeyPanel,
    // Variables that the document does not declare are ignored.
    variables: {
      ...keyVariables(address, choice, key),
      prefix: prefix ?? DEFAULT_PREFIX,
      cidr: cidrOf(key) ?? NO_NETWORK,
      drilled: DRILLED,
      by: drilldownGroups(choice, group, address.by).shown.map((each) => ({
        crosskey: each.guid,
        meter: likeMeter(each, meter)?.index ?? 0,
      })),
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

type KnownGroup = NonNullable<NonNullable<KeyPanelQuery['context']>['counterGroup']>;

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
    drilldowns: (figures?.drilldowns ?? []).flatMap((each) => each ?? []),
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
const DRILLED_BY = [...KEY, 'drilldowns'] as const;

/** The parts in whose places their faults are shown. */
const PLACED: readonly AnswerPath[] = [SERIES, KNOWN, WITHIN, DRILLED_BY];

function faultsOf({ variables, problems }: RequestedKey, hasFigures: boolean): KeyFaults {
  const ofAll = problems.filter(({ path }) => path?.length === DRILLED_BY.length);
  const drilldowns = (variables?.by ?? []).flatMap(({ crosskey }, i) => {
    const fault = faultAt(problems, [...DRILLED_BY, i]) ?? faultAt(ofAll, DRILLED_BY);
    return fault && crosskey ? [[crosskey, fault] as const] : [];
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
