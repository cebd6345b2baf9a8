import type { ShownCard, ShownOverview, ShownTraffic } from '../data/overview/shown-overview.ts';
import { trafficParts, trafficWords } from '../data/overview/traffic-words.ts';
import { partOf } from '../format/big-number.ts';
import { type Cell, toCsv } from './csv.ts';

type OverviewCsv = { readonly shown: ShownOverview; readonly context: string | null };

const HEAD = [
  'group',
  'rank',
  'key',
  'readable',
  'label',
  'metric',
  'volume',
  'share',
  'share_of',
  'meter',
  'units',
  'context',
  'from',
  'to',
];

/** Exports the traffic and its directions, and a row for each key of each card. */
export function overviewCsv({ shown, context }: OverviewCsv): string {
  const time = (at: number) => new Date(at * 1000).toISOString();
  const of: readonly Cell[] = [context, time(shown.window.from), time(shown.window.to)];
  const rows = [
    ...(shown.traffic ? trafficCells(shown.traffic) : []),
    ...(shown.cards ?? []).flatMap(cardCells),
  ];
  return toCsv([HEAD, ...rows.map((cells): Cell[] => [...cells, ...of])]);
}

function trafficCells(traffic: ShownTraffic): Cell[][] {
  const { subject, total } = traffic;
  const { title } = trafficWords(traffic);
  const parts = trafficParts(traffic);
  const all = { label: title, amount: total };
  return (parts.length > 1 ? [all, ...parts] : [all]).map(({ label, amount }) => [
    subject.group.name,
    null,
    null,
    null,
    label,
    amount,
    null,
    partOf(amount, total),
    title,
    subject.meter.name,
    subject.meter.units,
  ]);
}

function cardCells({ group, meter: index, whole, topper }: ShownCard): Cell[][] {
  const meter = group.meters.find((each) => each.index === index);
  return (topper?.keys ?? []).map(({ key, readable, label, metric, volume }, place) => [
    group.name,
    place + 1,
    key,
    readable,
    label,
    metric,
    volume,
    whole && partOf(metric, whole.total),
    whole?.name ?? null,
    meter?.name ?? null,
    meter?.units ?? null,
  ]);
}
