import { DamagedSegment } from '../../damaged-segment.ts';
import { ENDS } from '../../keys/byte-part.ts';

/**
 * A state within the compact keys of a kind. Byte by byte, a key spells a text: its raw or its
 * readable form. The spelling does not depend on what is searched for in the text.
 */
export type SpellingState = {
  readonly step: (byte: number) => Spelled;
  /** Whether the next byte may change the text so far: a letter may get an accent. */
  readonly isOpen: boolean;
};

/**
 * What one more byte of a key adds to the text, in UTF-8, and the state after it. whole: only all
 * bytes of a part together determine the text. unknown: only the whole key does.
 */
export type Spelled =
  | { readonly kind: 'adds'; readonly text: Uint8Array; readonly next: SpellingState }
  | {
      readonly kind: 'whole';
      readonly write: WritePart;
      readonly after: Uint8Array;
      readonly next: SpellingState;
    }
  | { readonly kind: 'unknown' };

/**
 * Writes the text of a part whose last byte is at `last`. Returns its length, which is at most
 * WRITTEN_BYTES.
 */
export type WritePart = (bytes: Uint8Array, last: number, into: Uint8Array) => number;

/** Room for the longest text: an IPv6 address and the number of an interface. */
export const WRITTEN_BYTES = 64;

/** The state after the last byte of a key. */
export const KEY_END: SpellingState = {
  isOpen: false,
  step() {
    throw new DamagedSegment('a key goes on after its last part');
  },
};

const UTF8 = new TextEncoder();

const textBytes = (text: string): Uint8Array => UTF8.encode(text);

export const adding = (spell: (byte: number) => string, next: SpellingState): SpellingState => ({
  isOpen: false,
  step: (byte) => ({ kind: 'adds', text: textBytes(spell(byte)), next }),
});

type Run = {
  readonly count: number;
  readonly spell: (byte: number) => string;
  /** Texts before the first byte, between two bytes, and after the last byte. */
  readonly before: string;
  readonly between: string;
  readonly after: string;
};

/** Returns the state before `count` bytes that each add a text. */
export function run(
  { count, spell, before, between, after }: Run,
  next: SpellingState,
): SpellingState {
  let state = next;
  for (let i = count - 1; i >= 0; i -= 1) {
    const lead = i === 0 ? before : between;
    const trail = i === count - 1 ? after : '';
    state = adding((byte) => `${lead}${spell(byte)}${trail}`, state);
  }
  return state;
}

/** Returns the state before `count` bytes that add nothing. */
export function silent(count: number, next: SpellingState): SpellingState {
  const nothing = { count, spell: () => '', before: '', between: '', after: '' };
  return run(nothing, next);
}

/** Returns the state before the last byte of a part, which is written when it is complete. */
export function writing(write: WritePart, after: string, next: SpellingState): SpellingState {
  const spelled: Spelled = { kind: 'whole', write, after: textBytes(after), next };
  return { isOpen: false, step: () => spelled };
}

/** Returns the state before two bytes that together determine the added text. */
export function pair(
  spell: (first: number, second: number) => string,
  next: SpellingState,
): SpellingState {
  const seconds = new Map<number, SpellingState>();
  return {
    isOpen: false,
    step(first) {
      let state = seconds.get(first);
      if (state === undefined) {
        state = adding((second) => spell(first, second), next);
        seconds.set(first, state);
      }
      return { kind: 'adds', text: textBytes(''), next: state };
    },
  };
}

/**
 * Returns the state before the tag that says whether a part ends here or continues (byte-part.ts).
 */
export function tag(after: string, ends: SpellingState, goesOn: SpellingState): SpellingState {
  return {
    isOpen: false,
    step: (byte) =>
      byte === ENDS
        ? { kind: 'adds', text: textBytes(after), next: ends }
        : { kind: 'adds', text: textBytes(''), next: goesOn },
  };
}
