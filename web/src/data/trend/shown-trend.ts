import type { TrendQuery, TrendQueryVariables } from '../../../generated/operations.ts';
import { type BigNumber, partOf } from '../../format/big-number.ts';
import { type Measure, measureOf } from '../../format/quantity.ts';
import {
  type GroupChoice,
  groupOf,
  type MeterChoice,
  meterOf,
  type Span,
  type Subject,
} from '../choices.ts';
import { distinctLabels } from '../key-parts.ts';
import { addsUp, type MeterKind, meterKind } from '../meter-kind.ts';

type AnsweredGroup = NonNullable<NonNullable<TrendQuery['context']>['counterGroup']>;

export type AnsweredStep = NonNullable<AnsweredGroup['trend']>[number];

export type TrendStep = Span & { readonly total: BigNumber };

/** A key in one step. */
export type TrendCell = {
  readonly rank: number;
  readonly metric: BigNumber;
  /** Share of the step's total; null: values do not add up. */
  readonly share: number | null;
};

/** A key that some step lists, with a cell for each step; null where the step does not list it. */
export type TrendRow = {
  readonly key: string;
  readonly label: string;
  /** The label as it is shown, which tells keys with the same one apart. */
  readonly name: string;
  readonly readable: string;
  readonly cells: readonly (TrendCell | null)[];
  readonly listed: number;
  readonly bestRank: number;
  readonly meanRank: number;
};

/** Ranks over time, in the terms of the question they answer. */
export type ShownTrend = {
  readonly group: GroupChoice;
  readonly meter: MeterChoice;
  readonly kind: MeterKind;
  readonly measure: Measure;
  readonly window: Span;
  readonly every: number;
  /** Maximum number of keys listed in each step. */
  readonly items: number;
  readonly steps: readonly TrendStep[];
  /** Rows that ranked higher and for longer come first. */
  readonly rows: readonly TrendRow[];
  /** The labels of keys that are listed or hidden, by raw and by readable key. */
  readonly labels: ReadonlyMap<string, string>;
  /** The time for which the group, or the chosen probe in it, has data; null: none. */
  readonly stored: Span | null;
  /** The subject of the question that it answers, not of the next one. */
  readonly asked: Subject;
};

/** Returns null if there is no such group or meter, or no answer for it. */
export function shownTrend(
  answer: TrendQuery | null,
  variables: TrendQueryVariables | null,
): ShownTrend | null {
  const answered = answer?.context?.counterGroup ?? null;
  const group = groupOf(answer?.context ?? null, answered?.guid ?? null);
  const meter = meterOf(group, variables?.meter ?? null);
  const steps = answered?.trend ?? null;
  if (!answered || !variables || !group || !meter || !steps) return null;
  const kind = meterKind(meter.type);
  const rows = trendRows(steps, { group, items: variables.items, kind });
  const labels: readonly (readonly [string, string])[] = [
    ...rows.map(({ readable, label }) => [readable, label] as const),
    ...[...rows, ...(answered.hidden?.keys ?? [])].map(({ key, label }) => [key, label] as const),
  ];
  return {
    group,
    meter,
    kind,
    measure: measureOf(meter.units),
    window: { from: steps[0]?.window.from ?? 0, to: steps.at(-1)?.window.to ?? 0 },
    every: variables.every,
    items: variables.items,
    steps: steps.map(({ window: { from, to }, total }) => ({ from, to, total })),
    rows,
    labels: new Map(labels),
    stored: answered.timeInterval,
    asked: { group: group.guid, probe: variables.probe ?? null },
  };
}

type Terms = {
  readonly group: Pick<GroupChoice, 'crosskey'>;
  readonly items: number;
  readonly kind: MeterKind;
};

/** Returns a row for each key that any step lists. */
export function trendRows(
  steps: readonly AnsweredStep[],
  { group, items, kind }: Terms,
): readonly TrendRow[] {
  const cells = new Map<string, (TrendCell | null)[]>();
  const names = new Map<string, AnsweredStep['keys'][number]>();
  for (const [index, { keys, total }] of steps.entries()) {
    for (const row of keys) {
      names.set(row.key, row);
      const own = cells.get(row.key) ?? steps.map(() => null);
      const share = addsUp(kind) ? partOf(row.metric, total) : null;
      own[index] = { rank: row.rank, metric: row.metric, share };
      cells.set(row.key, own);
    }
  }
  const shown = distinctLabels([...names.values()], group);
  return [...names.values()]
    .map(({ key, label, readable }) => {
      const own = cells.get(key) ?? [];
      const name = shown.get(key) ?? label;
      return { key, label, name, readable, cells: own, ...ranksOf(own) };
    })
    .map((row) => ({ row, height: heightOf(row.cells, items) }))
    .sort((a, b) => b.height - a.height || (a.row.key < b.row.key ? -1 : 1))
    .map(({ row }) => row);
}

function ranksOf(cells: readonly (TrendCell | null)[]) {
  const ranks = cells.flatMap((cell) => cell?.rank ?? []);
  const sum = ranks.reduce((total, rank) => total + rank, 0);
  return {
    listed: ranks.length,
    bestRank: Math.min(...ranks),
    meanRank: sum / Math.max(1, ranks.length),
  };
}

/** Scores a row: the first rank counts most, the last listed one counts 1, an unlisted step 0. */
const heightOf = (cells: readonly (TrendCell | null)[], items: number): number =>
  cells.reduce((sum, cell) => sum + (cell ? items + 1 - cell.rank : 0), 0);
