import uPlot from 'uplot';
import { stacked } from '../data/chart-data.ts';
import type { Span } from '../data/choices.ts';
import type { DrawnData } from '../data/drawn-data.ts';
import type { EarlierLine } from '../data/earlier.ts';
import { seriesColor, type Theme } from './palette.ts';
import { type ChartRules, reachOf } from './rule-marks.ts';

/** How a chart looks and what it shows, except its size. */
export type ChartStyle = {
  readonly theme: Theme;
  /** Colours of the axes' texts, of their lines, and of the background. */
  readonly ink: string;
  readonly rule: string;
  readonly surface: string;
  readonly zone: string;
  readonly base: 1000 | 1024;
  /** The name of the unit that `formatValue` writes. */
  readonly unit: string;
  /** Formats a number of the axis. */
  readonly formatValue: (value: number) => string;
};

/** Returns the rows that uPlot draws: times, then stacked sums, or plain lines. */
export function chartRows({ layers, times, form }: DrawnData, factor: number): uPlot.AlignedData {
  const scaled = layers.map(({ values }) =>
    values.map((value) => (value === null ? null : value * factor)),
  );
  return [[...times], ...(form === 'lines' ? scaled : stacked(scaled))].map((row) => [...row]) as [
    number[],
    ...(number | null)[][],
  ];
}

/**
 * A value lasts until the next step: what was measured between two moments is not a point in time.
 */
const stepped = uPlot.paths.stepped?.({ align: 1 });

/** What decides about colours at each drawing. */
type Painted = { readonly data: DrawnData; readonly highlighted?: string | null };

export function chartSeries(
  { layers, form }: DrawnData,
  { theme, surface }: ChartStyle,
  painted: () => Painted,
): Pick<uPlot.Options, 'series' | 'bands'> {
  const isStack = form !== 'lines';
  const colorAt = (index: number) => {
    const { data, highlighted = null } = painted();
    const layer = data.layers[index];
    const color = seriesColor(theme, layer?.color ?? -1);
    return highlighted === null || layer?.key === highlighted ? color : faded(color);
  };
  const series = layers.map((_, index): uPlot.Series => {
    const color = () => colorAt(index);
    return {
      points: { show: false },
      ...(stepped && { paths: stepped }),
      ...(isStack
        ? { stroke: separator(surface), width: 1, ...(index === 0 && { fill: color }) }
        : { stroke: color, width: 1.75, spanGaps: false }),
    };
  });
  const bands = layers.slice(1).map(
    (_, index): uPlot.Band => ({
      series: [index + 2, index + 1],
      fill: () => colorAt(index + 1),
    }),
  );
  return { series: [{}, ...series], ...(isStack && { bands }) };
}

/** Makes a colour of six digits transparent: what does not stand out recedes. */
const faded = (color: string): string => `${color}38`;

/** Lines between layers help if steps are wide; if they are narrow, there would be only lines. */
const separator =
  (surface: string) =>
  ({ bbox, data }: uPlot): string =>
    bbox.width / data[0].length > 9 * devicePixelRatio ? surface : 'transparent';

// Increment, text, and the text below it when the year, month, day … changes.
const TIMES: uPlot.Axis.Values = [
  [31_536_000, '{YYYY}', null, null, null, null, null, null, 1],
  [2_419_200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
];

/** Round steps for units of 1024. */
const BINARY_STEPS: readonly number[] = Array.from({ length: 70 }, (_, power) => 2 ** power);

/** Pixels to the left of the plot. */
export const AXIS_WIDTH = 78;

const FONT = '11px system-ui, sans-serif';

export function chartAxes({ ink, rule, base, formatValue }: ChartStyle): uPlot.Axis[] {
  const shared = { stroke: ink, font: FONT, ticks: { show: false } };
  return [
    { ...shared, values: TIMES, grid: { show: false }, size: 36, space: 72, gap: 6 },
    {
      ...shared,
      grid: { stroke: rule, width: 1 },
      size: AXIS_WIDTH,
      gap: 6,
      space: 36,
      values: (_, splits) => splits.map((value) => (value === 0 ? '0' : formatValue(value))),
      ...(base === 1024 && { incrs: [...BINARY_STEPS] }),
    },
  ];
}

type Ends = { readonly least: number; readonly most: number };

/** Starts at zero, with some space above: areas are meant to be compared. */
const fromNothing = ({ most }: Ends): [number, number] => [0, most > 0 ? most * 1.05 : 1];

/** Starts near the values, for lines far from zero, such as temperatures. */
const aroundValues = ({ least: low, most: high }: Ends): [number, number] => {
  if (low >= 0 && low < high / 2) return [0, high * 1.05];
  const air = (high - low || Math.abs(high) || 1) * 0.1;
  return [low - air, high + air];
};

type Scaled = {
  readonly span: Span;
  readonly data: DrawnData;
  readonly rules: ChartRules;
  readonly earlier: EarlierLine | null;
  readonly factor: number;
};

/** Returns the ranges of the axes: the window, and the values that are drawn now. */
export const chartScales = (drawn: () => Scaled): uPlot.Scales => ({
  x: {
    time: true,
    range: () => {
      const { from, to } = drawn().span;
      return [from, to];
    },
  },
  y: {
    range: (_, least, most) => {
      const { data, rules, earlier, factor } = drawn();
      const thresholds = rules.lines.map(({ at }) => at * factor);
      const then = (earlier?.values ?? []).flatMap((value) => value ?? []);
      const values = then.map((value) => value * factor);
      const ends = {
        least: Math.min(least ?? 0, ...values),
        most: reachOf(Math.max(most ?? 0, ...values), thresholds),
      };
      if (data.form === 'share') return [0, 1];
      return data.form === 'stack' ? fromNothing(ends) : aroundValues(ends);
    },
  },
});
