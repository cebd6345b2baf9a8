import type { ChartData } from '../data/chart-data.ts';
import type { ChartSpan, ChartStyle } from './chart-options.ts';
import type { ChartRules } from './rule-marks.ts';

export type TimeChartProps = {
  readonly data: ChartData;
  readonly span: ChartSpan;
  readonly withOthers: boolean;
  /** Seconds of a bucket: what is zoomed to begins and ends with one. */
  readonly grain: number;
  /** Values are drawn multiplied by it. */
  readonly factor: number;
  readonly style: Omit<ChartStyle, 'ink' | 'rule' | 'surface'>;
  readonly rules: ChartRules;
  readonly height: number;
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** The step under the cursor, as far as the window has it, in words. */
  readonly tellTime: (from: number, to: number) => string;
  readonly onZoom: (span: ChartSpan) => void;
  /** Gets the canvas, for pictures. */
  readonly onCanvas?: (canvas: HTMLCanvasElement | null) => void;
};
