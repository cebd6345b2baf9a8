import { earlierAt } from '../data/earlier.ts';
import { AXIS_WIDTH } from './chart-options.ts';
import type { TimeChartProps } from './chart-props.ts';
import { type Reading, Readout } from './readout.tsx';
import { marksWithin } from './rule-marks.ts';
import { useChartKeys } from './use-chart-keys.ts';
import { useChartPointing } from './use-chart-pointing.ts';
import { useDrawnChart } from './use-drawn-chart.ts';

/** A chart over time: a stack if parts add up, otherwise lines. Dragging over it zooms. */
export function TimeChart(props: TimeChartProps) {
  const { place, plot, index, forgetCursor } = useDrawnChart(props);
  const onKeyDown = useChartKeys(plot, (from, to) => props.onZoom({ from, to }));
  const pointing = useChartPointing(plot, props);
  const left = plot.current && index !== null ? (plot.current.cursor.left ?? 0) : 0;
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
        {...pointing}
        onBlur={forgetCursor}
      />
      <Readout
        reading={readingAt(props, index)}
        highlighted={props.highlighted ?? null}
        left={left}
        isRight={left + AXIS_WIDTH > (plot.current?.width ?? 0) / 2}
      />
    </div>
  );
}

function readingAt(
  { data, factor, style, rules, earlier, formatTime }: TimeChartProps,
  step: number | null,
): Reading | null {
  if (step === null) return null;
  const from = data.times[step];
  const to = data.ends[step];
  if (from === undefined || to === undefined) return null;
  const textOf = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : style.formatValue(value * factor);
  const rows = data.layers.map(({ key, label, color, values }) => ({
    key,
    label,
    color,
    text: textOf(values[step]),
  }));
  const total = data.layers.reduce((sum, { values }) => sum + (values[step] ?? 0), 0);
  const before = earlier && earlierAt(earlier, from);
  return {
    time: formatTime(from, to),
    rows,
    total: data.form === 'stack' && rows.length > 1 ? textOf(total) : null,
    earlier: before && {
      name: earlier.name,
      time: formatTime(before.from, before.to),
      text: textOf(before.value),
    },
    events: marksWithin(rules, from, to),
    theme: style.theme,
  };
}
