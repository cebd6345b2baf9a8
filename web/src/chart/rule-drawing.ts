import type uPlot from 'uplot';
import { ruleColor, type Theme } from './palette.ts';
import type { ChartRules, RuleLine } from './rule-marks.ts';

type Drawing = {
  readonly rules: ChartRules;
  readonly factor: number;
  readonly theme: Theme;
  /** The background, which keeps lines and names apart from what is behind them. */
  readonly surface: string;
};

/** CSS pixels. */
const LABEL_HEIGHT = 15;

/** Maximum length of a name; the list of rules has it in full. */
const LABEL_LETTERS = 36;

/** Draws thresholds as lines with names, and marks the starts of events, over the chart. */
export function drawRules(chart: uPlot, drawing: Drawing): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  drawMarks(chart, drawing);
  drawLines(chart, drawing);
  ctx.restore();
}

function drawMarks(chart: uPlot, { rules, theme, surface }: Drawing): void {
  const { ctx, bbox } = chart;
  const size = 5 * devicePixelRatio;
  for (const { at, urgency } of rules.marks) {
    const x = chart.valToPos(at, 'x', true);
    stroke(ctx, { color: surface, width: 3, dash: [] }, [x, bbox.top, x, bbox.top + bbox.height]);
    const line = { color: ruleColor(theme, urgency), width: 1, dash: [2, 3] };
    stroke(ctx, line, [x, bbox.top, x, bbox.top + bbox.height]);
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x, bbox.top + 1.6 * size);
    ctx.closePath();
    ctx.fillStyle = ruleColor(theme, urgency);
    ctx.fill();
  }
}

function drawLines(chart: uPlot, { rules, factor, theme, surface }: Drawing): void {
  const { ctx, bbox } = chart;
  const left = bbox.left;
  const right = bbox.left + bbox.width;
  const labels: Label[] = [];
  const highestFirst = [...rules.lines].sort((a, b) => b.at - a.at);
  for (const line of highestFirst) {
    const y = chart.valToPos(line.at * factor, 'y', true);
    // Outside the scale; one pixel of tolerance for rounding.
    if (y < bbox.top - 1 || y > bbox.top + bbox.height + 1) continue;
    const color = ruleColor(theme, line.urgency);
    stroke(ctx, { color: surface, width: 4, dash: [] }, [left, y, right, y]);
    stroke(ctx, { color, width: 2, dash: [7, 4] }, [left, y, right, y]);
    labels.push(labelOf(chart, { line, y, before: labels.at(-1) ?? null }));
  }
  const height = LABEL_HEIGHT * devicePixelRatio;
  for (const label of labels) {
    // An outline alone does not keep it readable where many bars are behind it.
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = surface;
    ctx.fillRect(
      label.x - height / 4,
      label.y - height / 2,
      label.end - label.x + height / 2,
      height,
    );
    ctx.globalAlpha = 1;
    ctx.fillStyle = ruleColor(theme, label.urgency);
    ctx.fillText(label.text, label.x, label.y);
  }
}

type Label = RuleLine & {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly end: number;
};

type Placing = { readonly line: RuleLine; readonly y: number; readonly before: Label | null };

/** Places a label above its line, or below it at the top; to the right of one it would overlap. */
function labelOf({ ctx, bbox }: uPlot, { line, y, before }: Placing): Label {
  ctx.font = `600 ${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  const text =
    line.name.length > LABEL_LETTERS ? `${line.name.slice(0, LABEL_LETTERS)}…` : line.name;
  const height = LABEL_HEIGHT * devicePixelRatio;
  const middle = y - bbox.top > height ? y - 0.6 * height : y + 0.6 * height;
  const isBeside = before !== null && Math.abs(before.y - middle) < height;
  const x = isBeside ? before.end + height : bbox.left + 0.5 * height;
  return { ...line, text, x, y: middle, end: x + ctx.measureText(text).width };
}

type Pen = { readonly color: string; readonly width: number; readonly dash: readonly number[] };

function stroke(
  ctx: CanvasRenderingContext2D,
  { color, width, dash }: Pen,
  [fromX, fromY, toX, toY]: readonly [number, number, number, number],
): void {
  ctx.beginPath();
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  ctx.lineWidth = width * devicePixelRatio;
  ctx.strokeStyle = color;
  ctx.moveTo(fromX, fromY);
  ctx.lineTo(toX, toY);
  ctx.stroke();
}
