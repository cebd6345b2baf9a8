import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { lastStart } from '../data/chart-data.ts';

/**
 * Handles the keyboard: arrows move the cursor by a step, Shift with arrows selects, Enter zooms to
 * the selection, and Escape clears it.
 */
export function useChartKeys(
  plot: RefObject<uPlot | null>,
  zoom: (from: number, to: number) => void,
): (event: KeyboardEvent) => void {
  const start = useRef<number | null>(null);
  return (event) => {
    const chart = plot.current;
    if (!chart) return;
    const { times, index } = positionOf(chart);
    if (event.key in MOVES) {
      event.preventDefault();
      // Only a selection reaches the end of the last step: there is nothing to read at it.
      const last = times.length - (event.shiftKey ? 1 : 2);
      const next = MOVES[event.key]?.(index, last) ?? index;
      if (!event.shiftKey) start.current = null;
      else start.current ??= index;
      moveTo(chart, times, next, start.current);
    } else if (event.key === 'Enter' && start.current !== null) {
      const ends = [times[start.current] ?? 0, times[index] ?? 0].sort((a, b) => a - b);
      start.current = null;
      if (ends[0] !== undefined && ends[1] !== undefined && ends[0] < ends[1])
        zoom(ends[0], ends[1]);
    } else if (event.key === 'Escape' && start.current !== null) {
      event.stopPropagation();
      start.current = null;
      moveTo(chart, times, index, null);
    }
  };
}

const MOVES: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index, last) => Math.max(0, Math.min(last, index - 1)),
  ArrowRight: (index, last) => Math.min(last, index + 1),
  Home: () => 0,
  End: (_, last) => last,
};

function positionOf(chart: uPlot): { times: readonly number[]; index: number } {
  const times = [...(chart.data[0] ?? [])];
  const { left = -1 } = chart.cursor;
  const under = left < 0 ? -1 : lastStart(times, chart.posToVal(left, 'x'));
  return { times, index: under < 0 ? Math.floor(times.length / 2) : under };
}

function moveTo(chart: uPlot, times: readonly number[], index: number, from: number | null): void {
  const left = chart.valToPos(times[index] ?? 0, 'x');
  const height = chart.over.clientHeight;
  const begin = from === null ? left : chart.valToPos(times[from] ?? 0, 'x');
  const width = from === null ? 0 : Math.abs(left - begin);
  chart.setSelect({ left: Math.min(begin, left), width, top: 0, height }, false);
  chart.setCursor({ left, top: height / 2 });
}
