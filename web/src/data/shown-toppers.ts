import type {
  TopKeysQuery,
  TopKeysQueryVariables,
  TopKeysWithoutQuery,
  TopKeysWithoutQueryVariables,
} from '../../generated/operations.ts';
import { DEFAULT_PREFIX, type Prefix } from '../address/prefix.ts';
import { DEFAULT_PERCENTILE, type Ranking } from '../address/ranking.ts';
import type { Fault, GraphQLProblem } from '../api/fault.ts';
import { faultAt, faultElsewhere } from '../api/part-faults.ts';
import { type BigNumber, minus, sum } from '../format/big-number.ts';
import { type Measure, measureOf } from '../format/quantity.ts';
import { archivedSlices } from './archived-slices.ts';
import { type ChartData, chartData, coveredPart } from './chart-data.ts';
import {
  type GroupChoice,
  groupOf,
  type MeterChoice,
  meterOf,
  type Span,
  type Subject,
} from './choices.ts';
import { earlierSpan } from './earlier.ts';
import { distinctLabels } from './key-parts.ts';
import { addsUp, type MeterKind, meterKind } from './meter-kind.ts';
import { rankingAnswered } from './ranking-variables.ts';

export type TopAnswer = TopKeysQuery | TopKeysWithoutQuery;

type TopVariables = TopKeysQueryVariables & Partial<TopKeysWithoutQueryVariables>;

type AnsweredGroup = NonNullable<NonNullable<TopKeysQuery['context']>['counterGroup']>;

type WithHidden = NonNullable<NonNullable<TopKeysWithoutQuery['context']>['counterGroup']>;

export type TopTable = NonNullable<AnsweredGroup['table']>;

export type TopRow = TopTable['keys'][number];

/** A view's answer in the terms of the question it answers, not of the next one. */
export type ShownToppers = {
  readonly group: GroupChoice;
  readonly meter: MeterChoice;
  readonly kind: MeterKind;
  readonly measure: Measure;
  readonly ranking: Ranking;
  /** The networks that replace addresses; null: the keys are the group's. */
  readonly prefix: Prefix | null;
  /** The percentile that is listed. */
  readonly percentile: number;
  /** The time that the window is compared with. */
  readonly earlier: Span;
  readonly table: TopTable;
  readonly chart: ChartData;
  /** Without the hidden keys; null if their values, which would have to be subtracted, failed. */
  readonly total: BigNumber | null;
  /** The keys that pass the filter, and are neither hidden nor listed. */
  readonly others: BigNumber;
  /** The hidden keys that have something in the window. */
  readonly hidden: readonly HiddenKey[];
  /** The question that it answers, not the next one. */
  readonly asked: Subject & { readonly hidden: readonly string[] };
  /** The time for which the group, or the chosen probe in it, has data; null: none. */
  readonly stored: Span | null;
  /** The slices that would have the window's readings if they were not archived. */
  readonly archived: ArchivedSlices;
  readonly faults: TopFaults;
};

/** Why parts of an answer are missing; null: they are there. */
export type TopFaults = {
  readonly chart: Fault | null;
  readonly rest: Fault | null;
};

/** Archived slices of a time. */
export type ArchivedSlices = ReturnType<typeof archivedSlices>;

export type HiddenKey = { readonly key: string; readonly label: string };

/** Returns null if there is no such group or meter, or no answer for it. */
export function shownToppers(
  answer: TopAnswer | null,
  variables: TopVariables | null,
  problems: readonly GraphQLProblem[],
): ShownToppers | null {
  const context = answer?.context ?? null;
  const answered: (AnsweredGroup & Partial<Pick<WithHidden, 'hidden'>>) | null =
    context?.counterGroup ?? null;
  const group = groupOf(context, answered?.guid ?? null);
  const meter = meterOf(group, variables?.meter ?? null);
  if (!answered?.table || !group || !meter) return null;
  const { table, chart } = answered;
  const earlier = earlierSpan(table.window, variables?.ago ?? null);
  const kind = meterKind(meter.type);
  const hidden = answered.hidden?.keys ?? [];
  const isKnown = answered.hidden !== null || !addsUp(kind);
  const without = addsUp(kind) ? sum(hidden.map(({ metric }) => metric)) : 0;
  const labels = distinctLabels([...table.keys, ...hidden], group);
  const labelOf = ({ key, label }: HiddenKey): HiddenKey => ({
    key,
    label: labels.get(key) ?? label,
  });
  const labelled = {
    keys: (chart?.keys ?? []).map((each) => ({ ...each, ...labelOf(each) })),
    whole: chart?.matching.series ?? null,
  };
  return {
    group,
    meter,
    kind,
    table,
    measure: measureOf(meter.units),
    ranking: rankingAnswered(variables),
    prefix: variables?.prefix ? { ...DEFAULT_PREFIX, ...variables.prefix } : null,
    percentile: variables?.shownPercentile ?? DEFAULT_PERCENTILE,
    earlier,
    chart: chartData(labelled, {
      kind,
      covered: coveredPart(table.window, table.availableWindow),
      step: variables?.step ?? group.topperBucketSize,
      bucketSize: group.bucketSize,
    }),
    total: isKnown ? minus(table.total, without) : null,
    others: table.othersMatching,
    hidden: hidden.map(labelOf),
    asked: {
      group: group.guid,
      probe: variables?.probe ?? null,
      hidden: [variables?.hidden ?? []].flat(),
    },
    stored: table.availableWindow,
    archived: archivedSlices(context?.slices ?? [], table.window, context?.totalWindow ?? null),
    faults: faultsOf(relevantProblems(problems, earlier)),
  };
}

const CHART = ['context', 'counterGroup', 'chart'] as const;

const faultsOf = (problems: readonly GraphQLProblem[]): TopFaults => ({
  chart: faultAt(problems, CHART),
  rest: faultElsewhere(problems, [CHART]),
});

/**
 * Returns all problems, except those of an earlier window that would begin before 1970: nothing is
 * stored for it, and so it is shown.
 */
export const relevantProblems = (
  problems: readonly GraphQLProblem[],
  earlier: Span,
): readonly GraphQLProblem[] =>
  earlier.from < 0 ? problems.filter(({ path }) => path?.at(-1) !== 'previous') : problems;
