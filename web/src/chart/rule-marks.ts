import type { Urgency } from '../format/severity.ts';

/** What is drawn for alert rules. */
export type ChartRules = {
  readonly lines: readonly RuleLine[];
  readonly marks: readonly RuleMark[];
};

/** A threshold, in the units of the chart's data. */
export type RuleLine = { readonly name: string; readonly urgency: Urgency; readonly at: number };

/** The start of an event: the end of its first window. */
export type RuleMark = {
  readonly id: string;
  readonly at: number;
  readonly urgency: Urgency;
  /** What began, in words. */
  readonly text: string;
};

/** Returns the marks of a step: a window that ends with the step belongs to it. */
export const marksWithin = ({ marks }: ChartRules, from: number, to: number): readonly RuleMark[] =>
  marks.filter(({ at }) => at > from && at <= to);

/** A threshold above this multiple of the data would make the data too small to read. */
const FARTHEST = 2;

/** Returns the upper end of a scale for values up to `most`, and for thresholds not far above. */
export const reachOf = (most: number, thresholds: readonly number[]): number =>
  Math.max(most, ...thresholds.filter((value) => most <= 0 || value <= FARTHEST * most));
