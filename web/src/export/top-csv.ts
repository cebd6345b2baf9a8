import type { Address } from '../address/address.ts';
import { formatRanking } from '../address/ranking.ts';
import { FILTER_LABELS } from '../data/filter-words.ts';
import { addsUp } from '../data/meter-kind.ts';
import { prefixName } from '../data/networks.ts';
import { agoOf } from '../data/questions.ts';
import type { ShownToppers, TopRow } from '../data/shown-toppers.ts';
import { type BigNumber, partOf, times } from '../format/big-number.ts';
import { type Cell, toCsv } from './csv.ts';

type TopCsv = { readonly shown: ShownToppers; readonly address: Address };

const headOf = (percentile: number): readonly string[] => [
  'rank',
  'key',
  'readable',
  'label',
  'metric',
  'volume',
  'average_per_second',
  'peak_per_topper_bucket',
  `p${percentile}_per_topper_bucket`,
  'share',
  'previous_metric',
  'previous_rank',
  'rank_value',
];

const CONTEXT_HEAD = [
  'context',
  'group',
  'meter',
  'units',
  'from',
  'to',
  'compared_seconds_earlier',
  'ranked_by',
  'networks',
  'filter',
  'hidden_keys',
];

/** Exports the table with all digits, in the meter's own unit, and with what it shows. */
export function topCsv({ shown, address }: TopCsv): string {
  const { window, keys } = shown.table;
  const { filters, hidden } = address;
  const time = (at: number) => new Date(at * 1000).toISOString();
  const of: readonly Cell[] = [
    address.context,
    shown.group.name,
    shown.meter.name,
    shown.meter.units,
    time(window.from),
    time(window.to),
  ];
  // What was left out explains the shares: they are of the total without the hidden keys.
  const limits: readonly Cell[] = [
    filters.map(({ kind, text }) => `${FILTER_LABELS[kind]}: ${text}`).join(', ') || null,
    hidden.length > 0 ? hidden.join(', ') : null,
  ];
  return toCsv([
    [...headOf(shown.percentile), ...CONTEXT_HEAD],
    ...[...keys.map((row) => cellsOf(row, shown)), othersOf(shown)].map((cells): Cell[] => [
      ...cells,
      ...of,
      agoOf(address) ?? window.to - window.from,
      formatRanking(shown.ranking),
      shown.prefix && prefixName(shown.prefix, shown.group),
      ...limits,
    ]),
  ]);
}

const cellsOf = (row: TopRow, shown: ShownToppers): Cell[] => [
  row.rank,
  row.key,
  row.readable,
  row.label,
  row.metric,
  row.volume,
  row.averageRate,
  row.peak,
  row.percentiles?.[0]?.value ?? null,
  shareOf(row.metric, shown),
  previousOf(row, shown)?.metric ?? null,
  previousOf(row, shown)?.rank ?? null,
  row.rankValue,
];

/** Returns what the key was before if all of that window is available: a part would mislead. */
function previousOf({ previous }: TopRow, { stored }: ShownToppers): TopRow['previous'] {
  const { from, to } = previous?.window ?? { from: 0, to: 0 };
  return stored && from >= stored.from && to <= stored.to ? previous : null;
}

/** Returns the row of all other keys: as in the table, a volume and a share, no bucket figures. */
function othersOf(shown: ShownToppers): Cell[] {
  const { others, kind, group } = shown;
  const buckets = kind === 'rate' ? group.topperBucketSize : 1;
  const volume = others === null ? null : times(others, buckets);
  return [
    '',
    'OTHERS',
    'Others',
    'Others',
    others,
    addsUp(kind) ? volume : null,
    null,
    null,
    null,
    shareOf(others, shown),
    null,
    null,
    null,
  ];
}

/** Returns the share of the total without hidden keys, as the table shows it. */
function shareOf(part: BigNumber | null, { kind, total }: ShownToppers): number | null {
  return addsUp(kind) && part !== null && total !== null ? partOf(part, total) : null;
}
