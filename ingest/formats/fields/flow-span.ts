import type { Flow } from '../../flows/flow.ts';

/** When a flow began and how long it lasted, in whole microseconds. */
export type FlowSpan = Pick<Flow, 'startUs' | 'durationUs'>;

/** An exporter's uptime of 32 bits, in milliseconds, starts again at 0 after this time. */
const WRAP_US = 2 ** 32 * 1000;

/** Flows are exported within a minute or so, so what is left of a wrapped duration is short. */
const NEAR_US = 60e6;

/**
 * Returns what is left of a duration that is wrong by the wraps of an exporter's uptime, at least
 * 0; null if the duration is near no multiple of the time after which it wraps.
 */
export function unwrapDuration(durationUs: number): number | null {
  const wraps = Math.round(durationUs / WRAP_US);
  const leftUs = durationUs - wraps * WRAP_US;
  return wraps !== 0 && Math.abs(leftUs) <= NEAR_US ? Math.max(0, leftUs) : null;
}

/**
 * Returns the span of a flow with this start and end; null if it ends before it starts. If the
 * exporter's uptime wrapped in between, the end is right: it is nearer to the export.
 */
export function flowSpan(startUs: number, endUs: number): FlowSpan | null {
  const leftUs = unwrapDuration(endUs - startUs);
  if (leftUs !== null) return { startUs: endUs - leftUs, durationUs: leftUs };
  return endUs >= startUs ? { startUs, durationUs: endUs - startUs } : null;
}
