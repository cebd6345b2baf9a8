/** A chart with everything needed to read it elsewhere. */
export type Picture = {
  readonly title: string;
  readonly lines: readonly string[];
  readonly chart: HTMLCanvasElement;
  readonly legend: readonly {
    readonly color: string;
    readonly label: string;
    readonly text: string;
  }[];
  readonly ink: string;
  readonly muted: string;
  readonly surface: string;
};

const MARGIN = 24;
const LINE = 20;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** Draws a PNG of the picture, as sharp as the chart on the screen. */
export async function drawPicture(picture: Picture): Promise<Blob> {
  const { chart, legend, lines } = picture;
  const scale = devicePixelRatio || 1;
  const width = Math.max(chart.width / scale, 480) + 2 * MARGIN;
  const columns = Math.max(1, Math.floor((width - 2 * MARGIN) / 320));
  const rows = Math.ceil(legend.length / columns);
  const head = MARGIN + 28 + lines.length * LINE + 8;
  const height = head + chart.height / scale + 16 + rows * LINE + MARGIN;
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser cannot create pictures');
  context.scale(scale, scale);
  context.fillStyle = picture.surface;
  context.fillRect(0, 0, width, height);
  drawHead(context, picture);
  context.drawImage(chart, MARGIN, head, chart.width / scale, chart.height / scale);
  const place = { top: head + chart.height / scale + 16, columns, width: width - 2 * MARGIN };
  drawLegend(context, picture, place);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new Error('the picture is too large for this browser')),
    );
  });
}

function drawHead(context: CanvasRenderingContext2D, { title, lines, ink, muted }: Picture): void {
  context.textBaseline = 'top';
  context.fillStyle = ink;
  context.font = `600 18px ${FONT}`;
  context.fillText(title, MARGIN, MARGIN);
  context.fillStyle = muted;
  context.font = `13px ${FONT}`;
  for (const [index, line] of lines.entries()) {
    context.fillText(line, MARGIN, MARGIN + 28 + index * LINE);
  }
}

type Place = { readonly top: number; readonly columns: number; readonly width: number };

function drawLegend(
  context: CanvasRenderingContext2D,
  { legend, ink, muted }: Picture,
  { top, columns, width }: Place,
): void {
  context.font = `12px ${FONT}`;
  const column = width / columns;
  const rows = Math.ceil(legend.length / columns);
  for (const [index, { color, label, text }] of legend.entries()) {
    const x = MARGIN + Math.floor(index / rows) * column;
    const y = top + (index % rows) * LINE;
    context.fillStyle = color;
    context.fillRect(x, y + 2, 10, 10);
    context.fillStyle = ink;
    const room = column - 24 - context.measureText(text).width - 24;
    context.fillText(fitted(context, label, room), x + 16, y);
    context.fillStyle = muted;
    context.fillText(text, x + column - 24 - context.measureText(text).width, y);
  }
}

/** Returns as much of a text as fits. */
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let length = text.length;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) length -= 1;
  return `${text.slice(0, length)}…`;
}
