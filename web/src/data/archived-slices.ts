import type { StoredSliceFragment } from '../../generated/operations.ts';
import type { Address } from '../address/address.ts';
import type { ContextChoice, Span } from './choices.ts';

/**
 * Returns which slices a view asks for: those of a chosen interval, or all if nothing is available.
 * Moving windows end at the available data, so there are no archived slices to report.
 */
export function slicesVariables({ window }: Pick<Address, 'window'>, choice: ContextChoice | null) {
  const within = window.kind === 'interval' ? { from: window.from, to: window.to } : null;
  const isEmpty = choice !== null && choice.totalWindow === null;
  return { withSlices: within !== null || isEmpty, within: isEmpty ? null : within };
}

/**
 * Returns the archived slices that would have the window's readings; all if nothing is available.
 */
export const archivedSlices = (
  slices: readonly StoredSliceFragment[],
  window: Span,
  available: Span | null,
): readonly StoredSliceFragment[] =>
  slices.filter(
    ({ status, timeInterval: { from, to } }) =>
      status === 'archived' && (available === null || (from < window.to && to > window.from)),
  );
