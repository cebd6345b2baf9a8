import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { stepAt } from '../data/chart-data.ts';
import type { DrawnData } from '../data/drawn-data.ts';
import {
  type ChartStyle,
  chartAxes,
  chartRows,
  chartScales,
  chartSeries,
} from './chart-options.ts';
import type { TimeChartProps } from './chart-props.ts';
import { drawEarlier } from './earlier-drawing.ts';
import { drawRules } from './rule-drawing.ts';
import { useFittedWidth } from './use-fitted-width.ts';

export type DrawnChart = {
  readonly place: RefObject<HTMLDivElement | null>;
  readonly plot: RefObject<uPlot | null>;
  /** The step under the cursor; null if there is none. */
  readonly index: number | null;
  readonly forgetCursor: () => void;
};

/** Draws a chart in its element, as wide as the element, and updates it when newer data arrives. */
export function useDrawnChart(props: TimeChartProps): DrawnChart {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const shown = useRef<Pick<TimeChartProps, 'data' | 'rules' | 'earlier'> | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const { data, span, factor, style, rules, earlier, height, highlighted, onCanvas } = props;
  const { theme, zone, base, unit } = style;

  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = draw(element, latest, setIndex);
    plot.current = drawn;
    shown.current = { data, rules, earlier };
    onCanvas?.(drawn.ctx.canvas);
    return () => {
      onCanvas?.(null);
      plot.current = null;
      setIndex(null);
      drawn.destroy();
    };
  }, [shapeOf(data), factor, theme, zone, base, unit, height]);

  // Newer data replaces the older; the cursor and the selection stay.
  useLayoutEffect(() => {
    const drawn = plot.current;
    const before = shown.current;
    if (!drawn || !before) return;
    if (before.data === data && before.rules === rules && before.earlier === earlier) return;
    shown.current = { data, rules, earlier };
    drawn.setData(chartRows(data, factor));
    setIndex(stepUnder(drawn, data));
  }, [data, rules, earlier, span.from, span.to]);

  useLayoutEffect(() => plot.current?.redraw(false, false), [highlighted]);

  useFittedWidth(place, plot, height);

  return { place, plot, index, forgetCursor: () => setIndex(null) };
}

function draw(
  element: HTMLElement,
  latest: { readonly current: TimeChartProps },
  onStep: (index: number | null) => void,
): uPlot {
  const { data, factor, height } = latest.current;
  const colors = colorsOf(element);
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      ...optionsOf(latest, colors),
      scales: chartScales(() => latest.current),
      hooks: {
        draw: [
          (chart) => {
            const { rules, earlier, style } = latest.current;
            if (earlier) drawEarlier(chart, { line: earlier, factor, ...colors });
            drawRules(chart, { rules, factor, theme: style.theme, surface: colors.surface });
          },
        ],
        setCursor: [(chart) => onStep(stepUnder(chart, latest.current.data))],
        setSelect: [(chart) => zoomTo(chart, latest.current)],
      },
    },
    chartRows(data, factor),
    element,
  );
}

/** Reads the colours from the styles, because a canvas does not inherit them. */
function colorsOf(element: HTMLElement): Pick<ChartStyle, 'ink' | 'rule' | 'surface'> {
  const { color, borderTopColor, backgroundColor } = getComputedStyle(element);
  return { ink: color, rule: borderTopColor, surface: backgroundColor };
}

function optionsOf(
  latest: { readonly current: TimeChartProps },
  colors: Pick<ChartStyle, 'ink' | 'rule' | 'surface'>,
): Omit<uPlot.Options, 'width' | 'height' | 'scales' | 'hooks'> {
  const { data, style } = latest.current;
  const whole = { ...style, ...colors };
  return {
    ...chartSeries(data, whole, () => latest.current),
    axes: chartAxes(whole),
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), style.zone),
    legend: { show: false },
    // On the right, half of the widest text below the axis: a date.
    padding: [10, 32, 0, 0],
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
  };
}

/** What requires a new chart when it changes: the number of layers, and how they are drawn. */
const shapeOf = ({ layers, form }: DrawnData): string => `${layers.length} ${form}`;

/** Returns the step under the cursor; uPlot itself finds the nearest start, maybe the next one. */
export function stepUnder(chart: uPlot, { times }: Pick<DrawnData, 'times'>): number | null {
  const { left = -1 } = chart.cursor;
  return left < 0 ? null : stepAt(times, chart.posToVal(left, 'x'));
}

/** A narrower selection counts as a click. */
const LEAST_PIXELS = 6;

export function zoomTo(
  chart: uPlot,
  { onZoom, grain }: Pick<TimeChartProps, 'onZoom' | 'grain'>,
): void {
  const { left, width } = chart.select;
  if (width < LEAST_PIXELS) return;
  const [from, to] = [left, left + width].map((pixels) => chart.posToVal(pixels, 'x') / grain);
  chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  if (from === undefined || to === undefined) return;
  onZoom({ from: Math.floor(from) * grain, to: Math.ceil(to) * grain });
}
