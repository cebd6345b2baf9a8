import { SignIn } from '../../generated/operations.ts';
import type { ContextChoice } from './choices.ts';

/** Pages of other versions store another shape, and so use another name. */
const NAME = `countergraph:choices:${SignIn.hash.slice(0, 12)}`;

/**
 * Returns the choices stored by this tab, so that the first request after a reload asks for the
 * right thing at once. Its answer has the current choices.
 */
export function storedChoices(): readonly ContextChoice[] | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    // Only this page writes it, and outdated choices are requested again. So is an empty list: a
    // context may have been granted meanwhile, and no view would notice without one.
    return Array.isArray(value) && value.length > 0 ? (value as ContextChoice[]) : null;
  } catch {
    return null;
  }
}

export function storeChoices(choices: readonly ContextChoice[] | null): void {
  try {
    if (choices) sessionStorage.setItem(NAME, JSON.stringify(choices));
    else sessionStorage.removeItem(NAME);
  } catch {
    // Storage is disabled or full: the choices are requested again after a reload.
  }
}
