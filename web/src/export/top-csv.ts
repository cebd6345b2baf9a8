import type { Address } from '../address/address.ts';
import { agoOf } from '../data/questions.ts';
import type { ShownToppers, TopRow } from '../data/shown-toppers.ts';
import { type Cell, toCsv } from './csv.ts';

type TopCsv = { readonly shown: ShownToppers; readonly address: Address };

const HEAD = [
  'rank',
  'key',
  'readable',
  'label',
  'metric',
  'volume',
  'average_per_second',
  'peak_per_topper_bucket',
  'p95_per_topper_bucket',
  'share',
  'previous_metric',
  'previous_rank',
] as const;

/** The table with all digits, in the meter's own unit, and of what it is. */
export function topCsv({ shown, address }: TopCsv): string {
  const { window, keys } = shown.table;
  const time = (at: number) => new Date(at * 1000).toISOString();
  const of: readonly Cell[] = [
    ...[address.context, shown.group.name, shown.meter.name, shown.meter.units],
    ...[time(window.from), time(window.to)],
  ];
  const last: Cell[] = ['', 'OTHERS', 'Others', 'Others', shown.others];
  return toCsv([
    [...HEAD, 'context', 'group', 'meter', 'units', 'from', 'to', 'compared_seconds_earlier'],
    ...[...keys.map(cellsOf), [...last, ...HEAD.slice(last.length).map(() => null)]].map(
      (cells): Cell[] => [...cells, ...of, agoOf(address) ?? window.to - window.from],
    ),
  ]);
}

const cellsOf = (row: TopRow): Cell[] => [
  ...[row.rank, row.key, row.readable, row.label, row.metric, row.volume, row.averageRate],
  ...[row.peak, row.percentiles?.[0]?.value ?? null, row.share],
  ...[row.previous?.metric ?? null, row.previous?.rank ?? null],
];
