import uPlot from 'uplot';
import { type ChartStyle, chartAxes } from './chart-options.ts';
import { othersColor, seriesColor } from './palette.ts';

/** An area of a chart with two sides. */
export type MirrorArea = {
  readonly label: string;
  /** A value for each step, the last one twice: where its step ends, too. */
  readonly values: readonly number[];
  /** Those on the same side are stacked, the first at the axis. */
  readonly isBelow: boolean;
  /** Index of its colour; -1: that of what recedes. */
  readonly color: number;
};

/** The same at an earlier time: the whole of each side, as a line. */
export type MirrorLine = {
  readonly label: string;
  /** Seconds between the times. */
  readonly ago: number;
  readonly above: readonly (number | null)[];
  /** null: the chart has one side. */
  readonly below: readonly (number | null)[] | null;
};

export type MirrorData = {
  /** Starts of steps, followed by the end of the last one. */
  readonly times: readonly number[];
  readonly ends: readonly number[];
  readonly areas: readonly MirrorArea[];
  readonly earlier: MirrorLine | null;
};

const areaColor = (theme: ChartStyle['theme'], color: number): string =>
  color < 0 ? othersColor(theme) : seriesColor(theme, color);

/** Returns times and what is drawn: stacked areas, the outermost first, then the lines. */
export function mirrorRows(
  { times, areas, earlier }: MirrorData,
  factor: number,
): uPlot.AlignedData {
  const scaled = (values: readonly (number | null)[], by: number) =>
    values.map((value) => (value === null ? null : value * by));
  return [
    [...times],
    ...stackedAreas(areas).map(({ values }) => scaled(values, factor)),
    ...(earlier ? [scaled(earlier.above, factor)] : []),
    ...(earlier?.below ? [scaled(earlier.below, -factor)] : []),
  ];
}

/** An outer area is drawn first, as high as all within it, which then cover it. */
function stackedAreas(areas: readonly MirrorArea[]): readonly MirrorArea[] {
  return [true, false].flatMap((isBelow) => {
    const side = areas.filter((area) => area.isBelow === isBelow);
    const sign = isBelow ? -1 : 1;
    return side
      .map((area, index) => ({
        ...area,
        values: area.values.map(
          (_, step) =>
            sign *
            side.slice(0, index + 1).reduce((sum, { values }) => sum + (values[step] ?? 0), 0),
        ),
      }))
      .reverse();
  });
}

const stepped = uPlot.paths.stepped?.({ align: 1 });

export function mirrorOptions(
  { areas, earlier }: MirrorData,
  style: ChartStyle,
): Omit<uPlot.Options, 'width' | 'height' | 'hooks'> {
  const { theme, ink, formatValue } = style;
  const shared: uPlot.Series = { points: { show: false }, ...(stepped && { paths: stepped }) };
  const area = ({ color }: MirrorArea): uPlot.Series => ({
    ...shared,
    fill: areaColor(theme, color),
    // From the axis, on both sides.
    fillTo: 0,
    width: 0,
  });
  const line: uPlot.Series = { ...shared, stroke: ink, width: 1.5 };
  const lines = earlier ? [line, ...(earlier.below ? [line] : [])] : [];
  return {
    series: [{}, ...stackedAreas(areas).map(area), ...lines],
    // The sign only says on which side a value is.
    axes: chartAxes({ ...style, formatValue: (value) => formatValue(Math.abs(value)) }),
    scales: { x: { time: true }, y: { range: aroundAxis } },
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), style.zone),
    legend: { show: false },
    padding: [10, 32, 0, 0],
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
  };
}

/** The axis is always seen, with some space above and below. */
const aroundAxis: uPlot.Range.Function = (_, least, most) => {
  const low = Math.min(0, least ?? 0) * 1.05;
  const high = Math.max(0, most ?? 0) * 1.05;
  return low === 0 && high === 0 ? [0, 1] : [low, high];
};

/** Draws the axis between the sides over the areas. */
export function drawZero({ ctx, bbox, valToPos }: uPlot, color: string): void {
  const y = Math.round(valToPos(0, 'y', true));
  ctx.save();
  ctx.beginPath();
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}
