import type { Address } from '../address/address.ts';
import { othersColor, seriesColor } from '../chart/palette.ts';
import { FILTER_LABELS } from '../data/filter-words.ts';
import type { KeyColors } from '../data/key-colors.ts';
import { addsUp } from '../data/meter-kind.ts';
import { inNetworks } from '../data/networks.ts';
import { rankedBy } from '../data/ranking-words.ts';
import { amountQuantity, type Terms, wholeQuantity } from '../data/row-figures.ts';
import type { ShownToppers } from '../data/shown-toppers.ts';
import { restOf, showsRest } from '../data/top-layers.ts';
import { isolated } from '../format/isolated.ts';
import type { Moments } from '../format/moment.ts';
import { baseName, joined, type Quantity, rateName } from '../format/quantity.ts';
import type { ThemeState } from '../parts/theme.ts';
import type { Picture } from './picture.ts';

type Pictured = {
  readonly shown: ShownToppers;
  readonly terms: Terms;
  readonly address: Address;
  readonly moments: Moments;
  readonly theme: ThemeState;
  readonly colors: KeyColors;
};

/** Makes a picture of a view: the chart with its title, its window and its legend. */
export function pictureOf(
  { shown, terms, address, moments, theme, colors }: Pictured,
  chart: HTMLCanvasElement,
): Picture {
  const { window } = shown.table;
  const { color, backgroundColor } = getComputedStyle(document.body);
  const isSum = addsUp(terms.kind);
  const unit =
    isSum && address.view !== 'flows'
      ? `${rateName(terms.measure, terms.units)}, ${baseName(terms.units)}`
      : '';
  return {
    title: [
      `${isolated(shown.group.name)} by ${isolated(shown.meter.name)}`,
      inNetworks(shown.prefix, shown.group),
      rankedBy(shown.ranking),
    ]
      .filter(Boolean)
      .join(', '),
    lines: [
      `${moments.range(window.from, window.to)} · ${moments.name(window.from, window.to)}`,
      [`Context ${address.context}`, unit, ...limits(address, shown)].filter(Boolean).join(' · '),
    ],
    chart,
    // Flows have their names and amounts beside them.
    legend: address.view === 'flows' ? [] : legendOf({ shown, terms, address, theme, colors }),
    ink: color,
    muted: color,
    surface: backgroundColor,
  };
}

/** Returns the layers of the chart, each with its amount. */
export function legendOf({
  shown,
  terms,
  address,
  colors,
  theme: { theme },
}: Omit<Pictured, 'moments'>): Picture['legend'] {
  const { lines } = shown.chart;
  const listed = shown.table.keys.slice(0, lines.length).map((row, index) => ({
    color: seriesColor(theme, colors.get(row.key) ?? index),
    label: lines.find(({ key }) => key === row.key)?.label ?? row.label,
    text: joined(amountQuantity(row, terms) ?? NOTHING),
  }));
  const rest = restOf(shown);
  if (!addsUp(terms.kind) || !showsRest(address, rest)) return listed;
  const { name, amount } = rest;
  const text = joined(wholeQuantity(amount, terms));
  return [...listed, { color: othersColor(theme), label: name, text }];
}

const NOTHING: Quantity = ['–', ''];

/** Returns what the chart leaves out. */
const limits = ({ filters }: Address, { hidden }: ShownToppers): readonly string[] => [
  ...filters.map(({ kind, text }) => `${FILTER_LABELS[kind].toLowerCase()} ${isolated(text)}`),
  ...(hidden.length > 0
    ? [`without ${hidden.map(({ label }) => isolated(label)).join(', ')}`]
    : []),
];
