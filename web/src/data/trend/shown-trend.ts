import type { TrendQuery, TrendQueryVariables } from '../../../generated/operations.ts';
import { type BigNumber, minus, partOf, sum } from '../../format/big-number.ts';
import { type Measure, measureOf } from '../../format/quantity.ts';
import {
  type GroupChoice,
  groupOf,
  type MeterChoice,
  meterOf,
  type Span,
  type Subject,
} from '../choices.ts';
import { distinctLabels, shownLabel } from '../key-parts.ts';
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
  /** Of the whole window; null: it is not among the largest keys that are asked for. */
  readonly metric: BigNumber | null;
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
  /** The largest keys of the window come first, then those that ranked higher and for longer. */
  readonly rows: readonly TrendRow[];
  /** What the whole window has; null: it could not be read. */
  readonly whole: ShownWhole | null;
  /** The labels of keys that are listed or hidden, by raw and by readable key. */
  readonly labels: ReadonlyMap<string, string>;
  /** The time for which the group, or the chosen probe in it, has data; null: none. */
  readonly stored: Span | null;
  /** The subject of the question that it answers, not of the next one. */
  readonly asked: Subject;
};

type ShownWhole = Omit<NonNullable<AnsweredGroup['whole']>, 'keys'>;

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
  const { whole } = answered;
  const ranked = whole?.keys ?? [];
  const rows = trendRows(steps, { group, items: variables.items, kind, ranked });
  const hidden = answered.hidden?.keys ?? [];
  const labels = [...rows, ...hidden].flatMap((row) => {
    const label = shownLabel(row, group);
    return [[row.readable, label] as const, [row.key, label] as const];
  });
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
    whole: whole && { ...whole, total: withoutHidden(whole.total, { hidden, kind }) },
    labels: new Map(labels),
    stored: answered.timeInterval,
    asked: { group: group.guid, probe: variables.probe ?? null },
  };
}

/** Returns a total without that of the hidden keys, as above the largest keys. */
const withoutHidden = (
  total: BigNumber,
  { hidden, kind }: { readonly hidden: readonly Ranked[]; readonly kind: MeterKind },
): BigNumber => (addsUp(kind) ? minus(total, sum(hidden.map(({ metric }) => metric))) : total);

type Ranked = { readonly key: string; readonly metric: BigNumber };

type Terms = {
  readonly group: Pick<GroupChoice, 'crosskey'>;
  readonly items: number;
  readonly kind: MeterKind;
  /** The largest keys of the whole window. */
  readonly ranked: readonly Ranked[];
};

/** Returns a row for each key that any step lists. */
export function trendRows(
  steps: readonly AnsweredStep[],
  { group, items, kind, ranked }: Terms,
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
  const places = new Map(ranked.map(({ key, metric }, place) => [key, { place, metric }]));
  return [...names.values()]
    .map(({ key, label, readable }) => {
      const own = cells.get(key) ?? [];
      const name = shown.get(key) ?? label;
      const metric = places.get(key)?.metric ?? null;
      return { key, label, name, readable, cells: own, metric, ...ranksOf(own) };
    })
    .map((row) => ({
      row,
      place: places.get(row.key)?.place ?? ranked.length,
      height: heightOf(row.cells, items),
    }))
    .sort((a, b) => a.place - b.place || b.height - a.height || (a.row.key < b.row.key ? -1 : 1))
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
