import type {
  OverviewCardsQuery,
  OverviewCardsQueryVariables,
  OverviewQuery,
  OverviewQueryVariables,
  TrafficAmountFragment,
  TrafficOfGroupFragment,
  TrafficOverTimeFragment,
} from '../../../generated/operations.ts';
import type { Fault } from '../../api/fault.ts';
import { faultAt } from '../../api/part-faults.ts';
import type { AnswerState } from '../../api/use-answer.ts';
import { type BigNumber, minus, toNumber } from '../../format/big-number.ts';
import { measureOf } from '../../format/quantity.ts';
import { chartData, coveredPart } from '../chart-data.ts';
import { type ContextChoice, type GroupChoice, groupOf, meterOf, type Span } from '../choices.ts';
import { meterKind } from '../meter-kind.ts';
import type { Terms } from '../row-figures.ts';
import { type Traffic, trafficOf } from './overview-question.ts';

type AnsweredContext = NonNullable<OverviewQuery['context']>;

type CardsContext = NonNullable<OverviewCardsQuery['context']>;

type AnsweredCard = NonNullable<CardsContext['cards'][number]['topper']>;

/** An answer in the terms of the question it answers, not of the next one. */
export type ShownOverview = {
  readonly choice: ContextChoice;
  readonly window: Span;
  /** The time for which there is data; null: none. */
  readonly stored: Span | null;
  /** null: there is no such group, or no answer for it. */
  readonly traffic: ShownTraffic | null;
  readonly trafficFault: Fault | null;
  /** null: not known yet. */
  readonly cards: readonly ShownCard[] | null;
  readonly asked: OverviewQueryVariables;
};

export type ShownTraffic = {
  readonly subject: Traffic;
  readonly total: BigNumber;
  /** null: it has no directions, or they failed. */
  readonly sides: TrafficSides | null;
  /** The newest topper bucket; null if it failed. */
  readonly newest: { readonly total: BigNumber; readonly window: Span } | null;
  readonly chart: TrafficChart;
};

type TrafficSides = {
  readonly into: BigNumber;
  readonly outOf: BigNumber;
  /** What has neither direction. */
  readonly rest: BigNumber;
};

/** Traffic per second in each step. */
export type TrafficChart = {
  /** Starts of steps, clipped to the window, followed by the end of the last step. */
  readonly times: readonly number[];
  readonly ends: readonly number[];
  readonly step: number;
  readonly all: readonly number[];
  readonly sides: SideRates | null;
};

type SideRates = {
  readonly into: readonly number[];
  readonly outOf: readonly number[];
  readonly rest: readonly number[];
};

export type ShownCard = {
  readonly group: GroupChoice;
  readonly meter: number;
  readonly step: number;
  /** What shares are of; null: there is nothing that they would be a part of. */
  readonly whole: Whole | null;
  /** null: it failed. */
  readonly topper: AnsweredCard | null;
  readonly fault: Fault | null;
};

type Whole = { readonly name: string; readonly total: BigNumber };

type Answer<Data, Variables> = Pick<
  AnswerState<Data, Variables>,
  'data' | 'variables' | 'problems'
>;

type CardsAnswer = Answer<OverviewCardsQuery, OverviewCardsQueryVariables>;

/** Returns null if nothing was answered, or nothing was counted and the cards are not known yet. */
export function shownOverview(
  { data, variables: asked, problems }: Answer<OverviewQuery, OverviewQueryVariables>,
  answeredCards: CardsAnswer,
): ShownOverview | null {
  const choice = data?.context ?? null;
  if (!choice || !asked) return null;
  const cards = shownCards(answeredCards, choice);
  const all = choice.traffic?.all ?? null;
  const counted = cards || all?.keys.length ? all : null;
  const known = counted ?? cards?.find(({ topper }) => topper)?.topper ?? null;
  if (!known) return null;
  return {
    choice,
    window: known.window,
    stored: known.availableWindow,
    traffic: choice.traffic && shownTraffic(choice.traffic, choice, asked),
    trafficFault: faultAt(problems, ['context', 'traffic']),
    cards,
    asked,
  };
}

/** Returns the cards in the order of the question; null if there are none of this context yet. */
function shownCards(
  { data, variables: asked, problems }: CardsAnswer,
  choice: ContextChoice,
): ShownOverview['cards'] {
  if (!data || asked?.context !== choice.name) return null;
  const order = [asked.cards].flat();
  const all = data.context?.traffic?.all ?? null;
  return (data.context?.cards ?? [])
    .flatMap(({ guid, topper }, index) => {
      const group = groupOf(choice, guid);
      if (!group) return [];
      const step = asked.cardStep ?? group.topperBucketSize;
      const fault = faultAt(problems, ['context', 'cards', index]);
      const meter = asked.cardMeter;
      const whole = wholeOf({ group, meter, topper }, trafficOf(choice), all);
      return { group, meter, step, whole, topper, fault };
    })
    .sort((a, b) => order.indexOf(a.group.guid) - order.indexOf(b.group.guid));
}

/** Groups that may count a flow twice for the same key: for its source and for its destination. */
const TWICE: ReadonlySet<string> = new Set(['COUNTRY', 'ASN']);

/** In most groups of flows, a flow counts for both its ends: their totals are not the traffic. */
function wholeOf(
  { group, meter, topper }: Pick<ShownCard, 'group' | 'meter' | 'topper'>,
  traffic: Traffic | null,
  all: TrafficAmountFragment | null,
): Whole | null {
  if (traffic?.of === 'group') return topper && { name: 'the total', total: topper.total };
  const isPart =
    traffic?.of === 'flows' &&
    traffic.meter.units === meterOf(group, meter)?.units &&
    !TWICE.has(group.keyKind);
  const total = traffic && isPart && all ? amountOf(all, traffic) : 0;
  return toNumber(total) > 0 ? { name: 'the traffic', total } : null;
}

function shownTraffic(
  answered: NonNullable<AnsweredContext['traffic']>,
  choice: ContextChoice,
  { traffic, step }: OverviewQueryVariables,
): ShownTraffic | null {
  const subject = trafficOf(choice);
  const { all, into, outOf, newest } = answered;
  // The groups have changed since: the next question is about others.
  if (!all || !subject || subject.group.guid !== traffic) return null;
  const total = amountOf(all, subject);
  const sides =
    into && outOf ? { into: amountOf(into, subject), outOf: amountOf(outOf, subject) } : null;
  return {
    subject,
    total,
    sides: sides && { ...sides, rest: minus(minus(total, sides.into), sides.outOf) },
    newest: newest && { total: amountOf(newest, subject), window: newest.window },
    chart: trafficChart(answered, subject, step ?? null),
  };
}

/** Returns what a topper says of an amount: of its only key, or of all keys. */
export const amountOf = ({ total, keys }: TrafficAmountFragment, { all }: Traffic): BigNumber =>
  all.key === null ? total : (keys[0]?.metric ?? 0);

const pointsOf = ({ series, keys }: TrafficOverTimeFragment, { all }: Traffic) =>
  all.key === null
    ? (series ?? []).map(({ at, total }) => ({ at, value: total }))
    : (keys[0]?.series ?? []);

export function trafficChart(
  { all, into, outOf }: TrafficOfGroupFragment,
  subject: Traffic,
  step: number | null,
): TrafficChart {
  const parts = [all, into, outOf].flatMap((part) => part ?? []);
  const window = all?.window ?? { from: 0, to: 0 };
  const { times, ends, lines } = chartData(
    {
      keys: parts.map((part) => ({ key: '', label: '', series: pointsOf(part, subject) })),
      whole: null,
    },
    {
      kind: meterKind(subject.meter.type),
      bucketSize: subject.group.bucketSize,
      step: step ?? subject.group.topperBucketSize,
      covered: coveredPart(window, all?.availableWindow ?? null),
    },
  );
  const [whole = [], inward, outward] = lines.map(({ values }) => values.map((rate) => rate ?? 0));
  return {
    times,
    ends,
    step: step ?? subject.group.topperBucketSize,
    all: whole,
    sides: inward && outward ? sideRates(whole, inward, outward) : null,
  };
}

const sideRates = (
  all: readonly number[],
  into: readonly number[],
  outOf: readonly number[],
): SideRates => ({
  into,
  outOf,
  // Each is rounded by itself, so the difference may be below zero.
  rest: all.map((rate, index) => Math.max(0, rate - (into[index] ?? 0) - (outOf[index] ?? 0))),
});

/** Returns the step with the most traffic per second, of those that the window does not cut. */
export function busiestStep({ times, ends, step, all }: TrafficChart) {
  const whole = ends.flatMap((to, index) => {
    const from = times[index] ?? to;
    return to - from === step ? { from, to, rate: all[index] ?? 0 } : [];
  });
  const [first] = whole;
  return first ? whole.reduce((most, each) => (each.rate > most.rate ? each : most), first) : null;
}

/** Returns the terms in which values of a meter are shown. */
export function termsOf(group: GroupChoice, meter: number, units: Terms['units']): Terms {
  const of = meterOf(group, meter);
  return {
    kind: meterKind(of?.type ?? 'VT_COUNTER'),
    measure: measureOf(of?.units ?? ''),
    units,
    topperBucketSize: group.topperBucketSize,
  };
}

/** Returns an amount per second over the part of a window for which there is data. */
export function rateOver(
  amount: BigNumber,
  window: Span,
  stored: Span | null,
  { kind, topperBucketSize }: Terms,
): number | null {
  const { from, to } = coveredPart(window, stored);
  const volume = toNumber(amount) * (kind === 'rate' ? topperBucketSize : 1);
  return to > from ? volume / (to - from) : null;
}
