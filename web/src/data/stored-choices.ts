import { SignIn } from '../../generated/operations.ts';
import type { ContextChoice } from './choices.ts';

/** What a page of another version has stored has another form, and so another name. */
const NAME = `countergraph:choices:${SignIn.hash.slice(0, 12)}`;

/**
 * What could be chosen when the tab was last here: so the first request after a reload asks for
 * the right thing at once. Its answer says how things are now.
 */
export function storedChoices(): readonly ContextChoice[] | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    // Nobody but this page writes it, and what is out of date is asked for anew.
    return Array.isArray(value) ? (value as ContextChoice[]) : null;
  } catch {
    return null;
  }
}

export function storeChoices(choices: readonly ContextChoice[] | null): void {
  try {
    if (choices) sessionStorage.setItem(NAME, JSON.stringify(choices));
    else sessionStorage.removeItem(NAME);
  } catch {
    // Switched off or full: asked for again after a reload.
  }
}
