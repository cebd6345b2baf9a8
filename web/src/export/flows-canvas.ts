import { FLOWS_WIDTH, type PlacedFlows, type PlacedNode } from '../chart/lay-out-flows.ts';

type FlowsDrawing = {
  readonly placed: PlacedFlows;
  readonly colorOf: (node: PlacedNode) => string;
  /** The name and the amount of a key. */
  readonly textOf: (node: PlacedNode) => string;
  readonly ink: string;
};

const WIDTH = 1200;

/** Room for the names at either side. */
const NAMES = 330;

/** Width of the bands. */
const ACROSS = WIDTH - 2 * NAMES;

const BAR = 8;

/** Draws flows as the page shows them, for a picture. */
export function drawFlows(drawing: FlowsDrawing): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  const scale = devicePixelRatio || 1;
  canvas.width = WIDTH * scale;
  canvas.height = drawing.placed.height * scale;
  const context = canvas.getContext('2d');
  if (!context) return canvas;
  context.scale(scale, scale);
  context.save();
  drawBands(context, drawing);
  context.restore();
  drawNames(context, drawing);
  return canvas;
}

function drawBands(context: CanvasRenderingContext2D, { placed, colorOf }: FlowsDrawing): void {
  const nodes = new Map(placed.nodes.map((node) => [node.id, node]));
  context.translate(NAMES, 0);
  context.scale(ACROSS / FLOWS_WIDTH, 1);
  context.globalAlpha = 0.5;
  for (const { path, source, width } of placed.links) {
    const from = nodes.get(source);
    if (from) context.strokeStyle = colorOf(from);
    context.lineWidth = Math.max(1, width);
    context.stroke(new Path2D(path));
  }
}

function drawNames(context: CanvasRenderingContext2D, drawing: FlowsDrawing): void {
  const { placed, colorOf, textOf, ink } = drawing;
  const last = Math.max(1, ...placed.nodes.map(({ column }) => column));
  context.font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  context.textBaseline = 'middle';
  for (const node of placed.nodes) {
    const isFirst = node.column === 0;
    const x = NAMES + (ACROSS * node.column) / last;
    context.fillStyle = colorOf(node);
    context.fillRect(isFirst ? x - BAR : x, node.top, BAR, Math.max(2, node.height));
    context.fillStyle = ink;
    context.textAlign = isFirst ? 'right' : 'left';
    const textX = isFirst ? x - BAR - 6 : x + BAR + 6;
    context.fillText(textOf(node), textX, node.top + node.height / 2, NAMES - BAR - 6);
  }
}
