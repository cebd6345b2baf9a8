import type { Sliced } from '../../../domain/sliced.ts';

/**
 * Reads a text byte by byte and determines whether something is found in it. REJECTED and ACCEPTED
 * are final states: no further byte leaves them.
 */
export type TextAutomaton = {
  readonly start: number;
  /** Returns the state after `length` more bytes of UTF-8. Errors: TooManyStates. */
  readonly read: (state: number, text: Uint8Array, length: number) => number;
  /** Whether a text that ends in this state is accepted. Errors: TooManyStates. */
  readonly acceptsEnd: (state: number) => boolean;
  /** Returns the number of instructions visited so far to make states. */
  readonly work: () => number;
};

export const REJECTED = 0;
export const ACCEPTED = 1;
/** The first of the states that are neither. */
export const FIRST_STATE = 2;

/**
 * An automaton needs more memory or time than it is allowed; the caller must use another method.
 */
export class TooManyStates extends Error {
  override readonly name = 'TooManyStates';
}

/**
 * Returns the result of something that uses an automaton, or null if the automaton gets too large.
 */
export function* unlessTooLarge<T>(make: () => Sliced<T>): Sliced<T | null> {
  try {
    return yield* make();
  } catch (error) {
    if (error instanceof TooManyStates) return null;
    throw error;
  }
}
