import type { ShownTrend } from '../data/trend/shown-trend.ts';
import { type Cell, toCsv } from './csv.ts';

type TrendCsv = { readonly shown: ShownTrend; readonly context: string | null };

const HEAD = [
  'from',
  'to',
  'rank',
  'key',
  'readable',
  'label',
  'metric',
  'share',
  'step_total',
  'context',
  'group',
  'meter',
  'units',
];

/** Exports a row for each key of each step, with all digits, in the meter's own unit. */
export function trendCsv({ shown, context }: TrendCsv): string {
  const { group, meter, rows, steps } = shown;
  const time = (at: number) => new Date(at * 1000).toISOString();
  const of: readonly Cell[] = [context, group.name, meter.name, meter.units];
  const cells = steps.flatMap(({ from, to, total }, index) =>
    rows
      .flatMap(({ key, readable, label, cells: own }) => {
        const cell = own[index];
        return cell ? [{ ...cell, key, readable, label }] : [];
      })
      .sort((a, b) => a.rank - b.rank)
      .map(({ rank, key, readable, label, metric, share }): Cell[] => [
        time(from),
        time(to),
        rank,
        key,
        readable,
        label,
        metric,
        share,
        total,
        ...of,
      ]),
  );
  return toCsv([HEAD, ...cells]);
}
