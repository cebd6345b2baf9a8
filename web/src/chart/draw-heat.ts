import { type HeatOf, heatLevel } from '../data/trend/heat-levels.ts';
import type { TrendRow } from '../data/trend/shown-trend.ts';
import { heatColors, heatEmpty, heatInk, type Theme } from './palette.ts';

export type HeatDrawing = {
  readonly rows: readonly TrendRow[];
  readonly columns: number;
  /** Pixels. */
  readonly cellWidth: number;
  readonly rowHeight: number;
  readonly of: HeatOf;
  readonly items: number;
  readonly largest: number;
  readonly theme: Theme;
};

/** Narrower cells have no room for a rank of two digits. */
const LEAST_TEXT_WIDTH = 19;

/** Draws a cell for each key and step, with its rank if there is room. */
export function drawHeat(canvas: HTMLCanvasElement, drawing: HeatDrawing): void {
  const { rows, columns, cellWidth, rowHeight, theme } = drawing;
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(columns * cellWidth * scale);
  canvas.height = Math.round(rows.length * rowHeight * scale);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const colors = heatColors(theme);
  for (const [y, { cells }] of rows.entries()) {
    for (const [x, cell] of cells.entries()) {
      const level = cell && heatLevel(cell, drawing);
      const color = level === null ? heatEmpty(theme) : (colors[level] ?? heatEmpty(theme));
      context.fillStyle = color;
      // Edges on whole pixels, so that all gaps have the same width.
      const left = Math.round(x * cellWidth);
      const right = Math.round((x + 1) * cellWidth);
      context.fillRect(left, y * rowHeight, right - left - 1, rowHeight - 1);
      if (!cell || level === null || cellWidth < LEAST_TEXT_WIDTH) continue;
      context.fillStyle = heatInk(theme, level);
      const middle = [(x + 0.5) * cellWidth - 0.5, (y + 0.5) * rowHeight] as const;
      context.fillText(String(cell.rank), ...middle);
    }
  }
}
