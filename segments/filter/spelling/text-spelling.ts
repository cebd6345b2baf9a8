import { isBeforeAnother, type PartPosition } from '../../keys/part-form.ts';
import { BACKSLASH } from '../../keys/text-part.ts';
import type { Spelled, SpellingState } from './spelling-state.ts';

const UNKNOWN: Spelled = { kind: 'unknown' };
const NOTHING = new Uint8Array(0);
const ONE_BACKSLASH = Uint8Array.of(BACKSLASH);

type TextPart = {
  readonly position: PartPosition;
  /** Returns what a byte adds; null if that depends on its neighbours. */
  readonly spell: (byte: number) => number | null;
  readonly isOpen: boolean;
};

/**
 * Returns the state before a text part as it is written in the key, with what closes it
 * (text-part.ts).
 */
export function textSpelling(
  { position, spell, isOpen }: TextPart,
  next: SpellingState,
): SpellingState {
  const inside: SpellingState = {
    isOpen,
    step(byte) {
      const added = spell(byte);
      if (added === null) return UNKNOWN;
      const isClosing = byte === BACKSLASH && isBeforeAnother(position);
      const then = isClosing ? behindBackslash : inside;
      return { kind: 'adds', text: Uint8Array.of(added), next: then };
    },
  };
  const behindBackslash: SpellingState = {
    isOpen: false,
    step(byte) {
      if (byte === BACKSLASH) return { kind: 'adds', text: ONE_BACKSLASH, next: inside };
      // The backslash was the separator. Before bytes, one more byte follows, which adds nothing.
      return position === 'beforeBytes' ? { kind: 'adds', text: NOTHING, next } : next.step(byte);
    },
  };
  return inside;
}
