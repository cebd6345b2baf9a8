import type { Span } from '../data/choices.ts';
import type { DrawnData } from '../data/drawn-data.ts';
import type { EarlierLine } from '../data/earlier.ts';
import type { ChartStyle } from './chart-options.ts';
import type { ChartRules } from './rule-marks.ts';

export type TimeChartProps = {
  readonly data: DrawnData;
  readonly span: Span;
  /** Seconds of a bucket: a zoomed interval begins and ends on a bucket. */
  readonly grain: number;
  /** Values are multiplied by this when drawn. */
  readonly factor: number;
  readonly style: Omit<ChartStyle, 'ink' | 'rule' | 'surface'>;
  readonly rules: ChartRules;
  /** Drawn over the chart; null: there is none. */
  readonly earlier: EarlierLine | null;
  readonly height: number;
  /** Description of the chart for screen readers. */
  readonly label: string;
  /** Formats the step under the cursor, as far as it is within the window. */
  readonly formatTime: (from: number, to: number) => string;
  readonly onZoom: (span: Span) => void;
  /** The id of the layer that stands out; null: none does. */
  readonly highlighted?: string | null;
  /** Called with the id of the layer under the pointer; null: there is none. */
  readonly onHover?: (layer: string | null) => void;
  /** Called with the id of a layer that was clicked. */
  readonly onPick?: (layer: string) => void;
  /** Called with the canvas, for pictures. */
  readonly onCanvas?: (canvas: HTMLCanvasElement | null) => void;
};
