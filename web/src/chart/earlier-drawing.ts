import type uPlot from 'uplot';
import type { EarlierLine } from '../data/earlier.ts';

type Drawing = {
  readonly line: EarlierLine;
  readonly factor: number;
  readonly ink: string;
  /** The background: an outline in this colour sets the line apart from the areas under it. */
  readonly surface: string;
};

/** Draws the values of an earlier window over the chart, in steps like the chart itself. */
export function drawEarlier(chart: uPlot, { line, factor, ink, surface }: Drawing): void {
  const { ctx, bbox } = chart;
  const path = new Path2D();
  let isOpen = false;
  for (const [index, from] of line.times.entries()) {
    const to = line.times[index + 1];
    const value = line.values[index] ?? null;
    if (to === undefined || value === null) {
      isOpen = false;
      continue;
    }
    const y = chart.valToPos(value * factor, 'y', true);
    const left = chart.valToPos(from, 'x', true);
    if (isOpen) path.lineTo(left, y);
    else path.moveTo(left, y);
    path.lineTo(chart.valToPos(to, 'x', true), y);
    isOpen = true;
  }
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineJoin = 'round';
  ctx.strokeStyle = surface;
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.stroke(path);
  ctx.strokeStyle = ink;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.stroke(path);
  ctx.restore();
}
