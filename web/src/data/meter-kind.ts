import type { MeterType } from '../../generated/operations.ts';

/** How a meter's readings combine, as far as it matters for display. */
export type MeterKind = 'counter' | 'rate' | 'mean' | 'extreme' | 'invalid';

const KINDS: Readonly<Record<MeterType, MeterKind>> = {
  VT_COUNTER: 'counter',
  VT_COUNTER_WITH_SLIDING_WINDOW: 'counter',
  VT_RATE_COUNTER: 'rate',
  VT_RATE_COUNTER_WITH_SLIDING_WINDOW: 'rate',
  VT_DELTA_RATE_COUNTER: 'rate',
  VT_GAUGE: 'mean',
  VT_GAUGE_MIN_MAX_AVG: 'mean',
  VT_AVERAGE: 'mean',
  VT_AUTO: 'mean',
  VT_RUNNING_COUNTER: 'extreme',
  VT_MAX: 'extreme',
  VT_MIN: 'extreme',
  VT_INVALID: 'invalid',
};

export const meterKind = (type: MeterType): MeterKind => KINDS[type];

/** Returns whether parts add up to a whole: only then are there volumes, shares and a stack. */
export const addsUp = (kind: MeterKind): boolean => kind === 'counter' || kind === 'rate';

/** Why there is no stack, and what is shown instead. */
export const WHY_NO_STACK: Readonly<Record<MeterKind, string | null>> = {
  counter: null,
  rate: null,
  mean: 'This meter is an average: its values do not add up, so each key has a line of its own and there is no volume.',
  extreme:
    'This meter is a largest or smallest value: its values do not add up, so each key has a line of its own and there is no volume.',
  invalid: null,
};

/** Returns the name of a key's value over a window. */
export const metricName = (type: MeterType): string => {
  if (type === 'VT_MIN') return 'Smallest';
  return meterKind(type) === 'mean' ? 'Mean' : 'Largest';
};

export type StepSeconds = {
  readonly step: number;
  /** How much of the step is in the window and has data. */
  readonly covered: number;
};

/**
 * Returns the value of a step per second of its covered time if the meter's readings add up, and
 * otherwise unchanged. The server divides a rate's volume by the whole step, however little of it
 * is in the window.
 */
export function perSecond(kind: MeterKind, value: number, { step, covered }: StepSeconds): number {
  if (!addsUp(kind) || covered <= 0) return kind === 'counter' ? value / step : value;
  return kind === 'counter' ? value / covered : (value * step) / covered;
}
