import type {
  EarlierTrafficQueryVariables,
  OverviewCardsQueryVariables,
  OverviewQueryVariables,
} from '../../../generated/operations.ts';
import type { Address } from '../../address/address.ts';
import { windowInput } from '../../address/window-choice.ts';
import {
  type ContextChoice,
  firstMeter,
  type GroupChoice,
  groupOf,
  HOSTS,
  type MeterChoice,
  meterOf,
  type Span,
} from '../choices.ts';
import { chooseStep } from '../choose-step.ts';
import { addsUp, meterKind } from '../meter-kind.ts';
import { NO_GROUP, nodeOf, windowSeconds } from '../questions.ts';

/** The groups of flow imports. */
const AGGREGATES = '{393B5EBC-AB41-4387-8F31-8077DB917336}';
const FLOW_CARDS: readonly string[] = [
  '{889900CC-0063-11A5-8380-FEBDBABBDBEA}', // Internal Hosts
  '{00AA77BB-0063-11A5-8380-FEBDBABBDBEA}', // External Hosts
  '{C51B48D4-7876-479E-B0D9-BD9EFF03CE2E}', // Apps
  '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}', // Host pairs
  '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A01}', // Hosts × Apps
  '{E89BCD56-30AD-40F5-B1C8-8B7683F440BD}', // Protocols
  '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A03}', // Country
  '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A04}', // ASN
];

/** Cards of a context without flows: two rows of three. */
const MOST_CARDS = 6;

/** What a total consists of: a key of the group, or by a meter all of its keys. */
type Amount = { readonly meter: number; readonly key: string | null };

/** How the traffic of a context is measured. */
export type Traffic = {
  /** flows: exactly. hosts: as the sum of the hosts that are seen. group: the total of a group. */
  readonly of: 'flows' | 'hosts' | 'group';
  readonly group: GroupChoice;
  readonly meter: MeterChoice;
  readonly all: Amount;
  /** Its two directions; null: there are none. */
  readonly sides: { readonly into: Amount; readonly outOf: Amount } | null;
};

/** Returns how to measure the traffic; null: no group has a meter that adds up. */
export function trafficOf(choice: ContextChoice | null): Traffic | null {
  const flows = measured(groupOf(choice, AGGREGATES), 0);
  if (flows) {
    const key = (name: string) => ({ meter: 0, key: name });
    const sides = { into: key('DIR_INTOHOME'), outOf: key('DIR_OUTOFHOME') };
    return { of: 'flows', ...flows, all: key('TOTALBW'), sides };
  }
  const hosts = measured(groupOf(choice, HOSTS), 0);
  if (hosts && meterOf(hosts.group, 1) && meterOf(hosts.group, 2)) {
    const meter = (index: number) => ({ meter: index, key: null });
    const sides = { into: meter(1), outOf: meter(2) };
    return { of: 'hosts', ...hosts, all: meter(0), sides };
  }
  const groups = [hosts?.group ?? [], firstGroups(choice)].flat();
  const summed = groups.flatMap((group) => measured(group, firstMeter(group)?.index ?? 0) ?? []);
  const [first] = summed;
  if (!first) return null;
  return { of: 'group', ...first, all: { meter: first.meter.index, key: null }, sides: null };
}

function measured(group: GroupChoice | null, index: number) {
  const meter = meterOf(group, index);
  return group && meter && addsUp(meterKind(meter.type)) ? { group, meter } : null;
}

/** Groups of keys, then groups of pairs. */
const firstGroups = (choice: ContextChoice | null): readonly GroupChoice[] => {
  const groups = choice?.counterGroups ?? [];
  const isPair = ({ keyKind }: GroupChoice) => keyKind === 'CROSSKEY';
  return [...groups.filter((group) => !isPair(group)), ...groups.filter(isPair)];
};

/** Groups whose largest keys are shown, all by the meter of the same number. */
export type Cards = { readonly groups: readonly GroupChoice[]; readonly meter: number };

export function cardsOf(choice: ContextChoice | null): Cards {
  const flows = FLOW_CARDS.flatMap((guid) => groupOf(choice, guid) ?? []);
  const groups = flows.length > 0 ? flows : firstGroups(choice);
  const [meter = 0] = groups.flatMap((group) => firstMeter(group)?.index ?? []);
  const isUsable = (group: GroupChoice) => {
    const of = meterOf(group, meter);
    return of !== null && meterKind(of.type) !== 'invalid';
  };
  const most = flows.length > 0 ? FLOW_CARDS.length : MOST_CARDS;
  return { groups: groups.filter(isUsable).slice(0, most), meter };
}

/** Most points of a line as small as a word. */
const CARD_POINTS = 48;

/** Returns seconds that are a multiple of each group's topper bucket. */
function cardStep(seconds: number, { groups }: Cards): number {
  const common = groups.reduce((all, { topperBucketSize }) => multipleOf(all, topperBucketSize), 1);
  return common * Math.max(1, Math.ceil(seconds / (common * CARD_POINTS)));
}

/** The least common multiple. */
function multipleOf(a: number, b: number): number {
  const divisor = (x: number, y: number): number => (y === 0 ? x : divisor(y, x % y));
  return (a / divisor(a, b)) * b;
}

const keysInput = ({ key }: Amount) => (key === null ? null : { keys: [key] });

/** Returns what is the same in both questions. */
const trafficInput = (address: Address, { group, all }: Asked) => ({
  ...nodeOf(address),
  window: windowInput(address.window),
  timeZone: address.zone ?? 'UTC',
  probe: address.probe,
  traffic: group?.guid ?? NO_GROUP,
  meter: all.meter,
  keys: keysInput(all),
});

type Asked = Pick<Traffic, 'all' | 'sides'> & { readonly group: GroupChoice | null };

const NO_TRAFFIC: Asked = { group: null, all: { meter: 0, key: null }, sides: null };

export function overviewVariables(
  address: Address,
  choice: ContextChoice | null,
): OverviewQueryVariables {
  const traffic = trafficOf(choice) ?? NO_TRAFFIC;
  const { group, all, sides } = traffic;
  const { into, outOf } = sides ?? { into: all, outOf: all };
  return {
    ...trafficInput(address, traffic),
    ofKeys: all.key !== null,
    hasSides: sides !== null,
    intoMeter: into.meter,
    intoKeys: keysInput(into),
    outMeter: outOf.meter,
    outKeys: keysInput(outOf),
    step: chooseStep(windowSeconds(address, choice), group),
    newest: { recentSeconds: group?.topperBucketSize ?? 300 },
  };
}

export function cardsVariables(
  address: Address,
  choice: ContextChoice | null,
): OverviewCardsQueryVariables {
  const cards = cardsOf(choice);
  return {
    ...trafficInput(address, trafficOf(choice) ?? NO_TRAFFIC),
    cards: cards.groups.map(({ guid }) => guid),
    cardMeter: cards.meter,
    cardStep: cardStep(windowSeconds(address, choice), cards),
  };
}

export type EarlierSpans = { readonly first: Span; readonly second: Span; readonly drawn: Span };

/** Returns the variables that ask for the same traffic as an answer, at earlier times. */
export const earlierTrafficVariables = (
  { newest, ...asked }: OverviewQueryVariables,
  { first, second, drawn }: EarlierSpans,
): EarlierTrafficQueryVariables => ({
  ...asked,
  first: spanInput(first),
  second: spanInput(second),
  window: spanInput(drawn),
});

/** Nothing is stored of before 1970, of which the server accepts no time. */
const spanInput = ({ from, to }: Span) => ({
  interval: { from: Math.max(0, from), to: Math.max(1, to) },
});
