import type { StoredSliceFragment } from '../../generated/operations.ts';
import type { Address } from '../address/address.ts';
import type { ContextChoice } from './choices.ts';

type Span = { readonly from: number; readonly to: number };

/**
 * Which slices a view asks for: those of a time that was chosen, or all where nothing is available.
 * Windows that move on end with what is available, so that there is nothing archived to tell of.
 */
export function slicesAsked({ window }: Pick<Address, 'window'>, choice: ContextChoice | null) {
  const within = window.kind === 'interval' ? { from: window.from, to: window.to } : null;
  const isEmpty = choice !== null && choice.totalWindow === null;
  return { withSlices: within !== null || isEmpty, within: isEmpty ? null : within };
}

/** The archived slices in which a window's readings would be; all where nothing is available. */
export const archivedSlices = (
  slices: readonly StoredSliceFragment[],
  window: Span,
  available: Span | null,
): readonly StoredSliceFragment[] =>
  slices.filter(
    ({ status, timeInterval: { from, to } }) =>
      status === 'archived' && (available === null || (from < window.to && to > window.from)),
  );
