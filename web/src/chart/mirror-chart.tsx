import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { Span } from '../data/choices.ts';
import { AXIS_WIDTH } from './chart-options.ts';
import type { TimeChartProps } from './chart-props.ts';
import { drawZero, type MirrorData, mirrorOptions, mirrorRows } from './mirror-options.ts';
import { othersColor, seriesColor, type Theme } from './palette.ts';
import { Swatch } from './readout.tsx';
import { useChartKeys } from './use-chart-keys.ts';
import { stepUnder, zoomTo } from './use-drawn-chart.ts';
import { useFittedWidth } from './use-fitted-width.ts';

type Shared =
  | 'factor'
  | 'grain'
  | 'style'
  | 'height'
  | 'label'
  | 'formatTime'
  | 'onZoom'
  | 'onCanvas';

type MirrorChartProps = Pick<TimeChartProps, Shared> & {
  readonly data: MirrorData;
  readonly span: Span;
};

/** Areas on one or both sides of an axis of time, and an earlier time as lines over them. */
export function MirrorChart(props: MirrorChartProps) {
  const { place, plot, index, forgetCursor } = useMirrorPlot(props);
  const onKeyDown = useChartKeys(plot, (from, to) => props.onZoom({ from, to }));
  const left = plot.current && index !== null ? (plot.current.cursor.left ?? 0) : 0;
  const isRight = left + AXIS_WIDTH > (plot.current?.width ?? 0) / 2;
  return (
    <div class="chart" style={{ height: `${props.height}px` }}>
      <div
        ref={place}
        class="chart-place"
        role="img"
        aria-label={props.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its cursor moves by arrow keys.
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={forgetCursor}
      />
      <div class="readout-live" aria-live="polite">
        {index !== null && (
          <div
            class="readout"
            style={
              isRight
                ? { '--right': `calc(100% - ${left}px - 70px)` }
                : { '--left': `${left + 96}px` }
            }
          >
            <Values {...props} step={index} />
          </div>
        )}
      </div>
    </div>
  );
}

/** What is drawn at one step, in words. */
function Values(props: MirrorChartProps & { readonly step: number }) {
  const { data, style, formatTime, step } = props;
  const rows = mirrorValues(props, step);
  return (
    <>
      <p class="readout-time">{formatTime(data.times[step] ?? 0, data.ends[step] ?? 0)}</p>
      <ul>
        {rows.map(({ label, text, color }) => (
          <li key={label} class={color === null ? 'readout-total' : ''}>
            {color === null ? (
              <span class="swatch" />
            ) : (
              <Swatch color={swatchColor(style.theme, color)} />
            )}
            <span class="readout-label">{label}</span>
            <span class="number">{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

export const swatchColor = (theme: Theme, color: number): string =>
  color < 0 ? othersColor(theme) : seriesColor(theme, color);

type Value = {
  readonly label: string;
  readonly text: string;
  /** null: it has no area. */
  readonly color: number | null;
};

/** Returns the values of a step: the areas, their sum if there are several, and the earlier sum. */
export function mirrorValues(
  { data, factor, style }: Pick<MirrorChartProps, 'data' | 'factor' | 'style'>,
  step: number,
): readonly Value[] {
  const textOf = (value: number) => style.formatValue(value * factor);
  const { areas, earlier } = data;
  const rates = areas.map(({ label, color, values }) => ({
    label,
    color,
    rate: values[step] ?? 0,
  }));
  const total = rates.reduce((sum, { rate }) => sum + rate, 0);
  const then = earlier?.above[step] ?? null;
  return [
    ...rates.map(({ label, color, rate }) => ({ label, color, text: textOf(rate) })),
    ...(areas.length > 1 ? [{ label: 'Together', color: null, text: textOf(total) }] : []),
    ...(earlier && then !== null
      ? [{ label: earlier.label, color: null, text: textOf(then + (earlier.below?.[step] ?? 0)) }]
      : []),
  ];
}

type MirrorPlot = {
  readonly place: RefObject<HTMLDivElement | null>;
  readonly plot: RefObject<uPlot | null>;
  /** The step under the cursor; null if there is none. */
  readonly index: number | null;
  readonly forgetCursor: () => void;
};

/** Draws the chart as wide as its element; newer data leave cursor and selection as they are. */
function useMirrorPlot(props: MirrorChartProps): MirrorPlot {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [index, setIndex] = useState<number | null>(null);
  const { data, factor, height } = props;
  const { theme, zone, base, unit } = props.style;
  const shape = data.areas.map(({ label }) => label).join() + Boolean(data.earlier);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = drawMirror(element, latest, setIndex);
    plot.current = drawn;
    latest.current.onCanvas?.(drawn.ctx.canvas);
    return () => {
      latest.current.onCanvas?.(null);
      plot.current = null;
      setIndex(null);
      drawn.destroy();
    };
  }, [shape, factor, theme, zone, base, unit, height]);
  useLayoutEffect(() => {
    const drawn = plot.current;
    if (!drawn) return;
    drawn.setData(mirrorRows(data, factor));
    setIndex(stepUnder(drawn, data));
  }, [data]);
  useFittedWidth(place, plot, height);
  return { place, plot, index, forgetCursor: () => setIndex(null) };
}

function drawMirror(
  element: HTMLElement,
  latest: { readonly current: MirrorChartProps },
  onStep: (index: number | null) => void,
): uPlot {
  const { data, factor, height, style } = latest.current;
  // A canvas does not inherit colours.
  const { color, borderTopColor, backgroundColor } = getComputedStyle(element);
  const options = mirrorOptions(data, {
    ...style,
    ink: color,
    rule: borderTopColor,
    surface: backgroundColor,
  });
  const rangeOfWindow = (): [number, number] => [latest.current.span.from, latest.current.span.to];
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      ...options,
      scales: { ...options.scales, x: { time: true, range: rangeOfWindow } },
      hooks: {
        draw: [(chart) => drawZero(chart, color)],
        setCursor: [(chart) => onStep(stepUnder(chart, latest.current.data))],
        setSelect: [(chart) => zoomTo(chart, latest.current)],
      },
    },
    mirrorRows(data, factor),
    element,
  );
}
