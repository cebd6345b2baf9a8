/**
 * Reads a text byte by byte and tells whether something is found in it. REJECTED and ACCEPTED are
 * states too: whatever follows, they stay.
 */
export type TextAutomaton = {
  readonly start: number;
  /** The state after `length` more bytes of UTF-8. Errors: TooManyStates. */
  readonly read: (state: number, text: Uint8Array, length: number) => number;
  /** Whether a text that ends in this state is accepted. Errors: TooManyStates. */
  readonly acceptsEnd: (state: number) => boolean;
};

export const REJECTED = 0;
export const ACCEPTED = 1;
/** The states that are neither. */
export const FIRST_STATE = 2;

/** An automaton would take more memory or time than it is given: it must be done another way. */
export class TooManyStates extends Error {
  override readonly name = 'TooManyStates';
}

/** The result of something that uses an automaton; null where that gets too large. */
export function unlessTooLarge<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof TooManyStates) return null;
    throw error;
  }
}
