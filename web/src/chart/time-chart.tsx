import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { type ChartData, stepAt } from '../data/chart-data.ts';
import {
  AXIS_WIDTH,
  type ChartSpan,
  type ChartStyle,
  chartAxes,
  chartRows,
  chartScales,
  chartSeries,
} from './chart-options.ts';
import { type Reading, Readout } from './readout.tsx';
import { useChartKeys } from './use-chart-keys.ts';

export type TimeChartProps = {
  readonly data: ChartData;
  readonly span: ChartSpan;
  readonly withOthers: boolean;
  /** Seconds of a bucket: what is zoomed to begins and ends with one. */
  readonly grain: number;
  /** Values are drawn multiplied by it. */
  readonly factor: number;
  readonly style: Omit<ChartStyle, 'ink' | 'rule' | 'surface'>;
  readonly height: number;
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** The step under the cursor, as far as the window has it, in words. */
  readonly tellTime: (from: number, to: number) => string;
  readonly onZoom: (span: ChartSpan) => void;
  /** Gets the canvas, for pictures. */
  readonly onCanvas?: (canvas: HTMLCanvasElement | null) => void;
};

/** A chart over time: a stack where parts add up, else lines. Drag over it to zoom. */
export function TimeChart(props: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [index, setIndex] = useState<number | null>(null);
  const { data, span, withOthers, factor, style, height, onCanvas } = props;
  const { theme, zone, base } = style;

  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = new uPlot(
      {
        width: element.clientWidth,
        height,
        ...optionsOf(props, colorsOf(element)),
        hooks: {
          setCursor: [(chart) => setIndex(stepUnder(chart, data))],
          setSelect: [(chart) => zoomTo(chart, latest.current)],
        },
      },
      chartRows(data, withOthers, factor),
      element,
    );
    plot.current = drawn;
    onCanvas?.(drawn.ctx.canvas);
    return () => {
      onCanvas?.(null);
      plot.current = null;
      // Of the next one nothing is pointed at yet.
      setIndex(null);
      drawn.destroy();
    };
  }, [data, span.from, span.to, withOthers, factor, theme, zone, base, height]);

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const watch = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && plot.current?.width !== width) plot.current?.setSize({ width, height });
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [height]);

  const onKeyDown = useChartKeys(plot, (from, to) => latest.current.onZoom({ from, to }));
  const left = plot.current && index !== null ? (plot.current.cursor.left ?? 0) : 0;
  return (
    <div class="chart" style={{ height: `${height}px` }}>
      <div
        ref={place}
        class="chart-place"
        role="img"
        aria-label={props.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its cursor moves by arrow keys.
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setIndex(null)}
      />
      <Readout
        reading={readingAt(props, index)}
        left={left}
        isRight={left + AXIS_WIDTH > (plot.current?.width ?? 0) / 2}
      />
    </div>
  );
}

/** The styles say which colours there are; a canvas has to be told. */
function colorsOf(element: HTMLElement): Pick<ChartStyle, 'ink' | 'rule' | 'surface'> {
  const { color, borderTopColor, backgroundColor } = getComputedStyle(element);
  return { ink: color, rule: borderTopColor, surface: backgroundColor };
}

function optionsOf(
  { data, span, withOthers, style }: TimeChartProps,
  colors: Pick<ChartStyle, 'ink' | 'rule' | 'surface'>,
): Omit<uPlot.Options, 'width' | 'height'> {
  const whole = { ...style, ...colors };
  return {
    ...chartSeries(data, withOthers, whole),
    axes: chartAxes(whole),
    scales: chartScales(span, data),
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), style.zone),
    legend: { show: false },
    padding: [10, 22, 0, 0],
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
  };
}

/** The step under the cursor; uPlot itself tells the nearest start, which may be the next one's. */
function stepUnder(chart: uPlot, { times }: ChartData): number | null {
  const { left = -1 } = chart.cursor;
  return left < 0 ? null : stepAt(times, chart.posToVal(left, 'x'));
}

/** Fewer pixels than this were a click. */
const LEAST_PIXELS = 6;

function zoomTo(chart: uPlot, { onZoom, grain }: TimeChartProps): void {
  const { left, width } = chart.select;
  if (width < LEAST_PIXELS) return;
  const [from, to] = [left, left + width].map((pixels) => chart.posToVal(pixels, 'x') / grain);
  chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  if (from === undefined || to === undefined) return;
  onZoom({ from: Math.floor(from) * grain, to: Math.ceil(to) * grain });
}

function readingAt(
  { data, withOthers, factor, style, tellTime }: TimeChartProps,
  step: number | null,
): Reading | null {
  if (step === null) return null;
  const [from, to] = [data.times[step], data.ends[step]];
  if (from === undefined || to === undefined) return null;
  const tell = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : style.tell(value * factor);
  const rows = data.lines.map(({ key, label, values }, color) => ({
    ...{ key, label, color },
    value: values[step] ?? null,
    text: tell(values[step]),
  }));
  const others = data.others?.[step];
  const total = rows.reduce((sum, { value }) => sum + (value ?? 0), others ?? 0);
  return {
    time: tellTime(from, to),
    rows,
    others: others !== undefined && withOthers ? tell(others) : null,
    total: data.others && withOthers ? tell(total) : null,
    theme: style.theme,
  };
}
