import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { stepAt } from '../data/chart-data.ts';
import { type ChartLayer, layerAt } from '../data/drawn-data.ts';
import type { TimeChartProps } from './chart-props.ts';

/** A pointer that moves farther between press and release is dragged: it zooms. */
const CLICK_PIXELS = 4;

/** Tells which layer the pointer is over, and which one was clicked. */
export function useChartPointing(
  plot: RefObject<uPlot | null>,
  { data, factor, onHover, onPick }: TimeChartProps,
) {
  const pressedAt = useRef<number | null>(null);
  const under = (event: MouseEvent): ChartLayer | null => {
    const chart = plot.current;
    if (!chart) return null;
    const { left, top, right, bottom } = chart.over.getBoundingClientRect();
    const { clientX: x, clientY: y } = event;
    if (x < left || x > right || y < top || y > bottom) return null;
    const step = stepAt(data.times, chart.posToVal(x - left, 'x'));
    return step === null ? null : layerAt(data, step, chart.posToVal(y - top, 'y') / factor);
  };
  return {
    onMouseMove: (event: MouseEvent) => onHover?.(under(event)?.key ?? null),
    onMouseLeave: () => onHover?.(null),
    onMouseDown: (event: MouseEvent) => {
      pressedAt.current = event.clientX;
    },
    onClick: (event: MouseEvent) => {
      const from = pressedAt.current;
      pressedAt.current = null;
      if (from === null || Math.abs(event.clientX - from) > CLICK_PIXELS) return;
      const layer = under(event);
      if (layer) onPick?.(layer.key);
    },
  };
}
