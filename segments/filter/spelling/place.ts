import { DamagedSegment } from '../../damaged-segment.ts';
import { ENDS } from '../../keys/byte-part.ts';

/**
 * A place within compact keys of a kind. Byte by byte, a key spells a text: its raw form, or what
 * people read. How does not depend on what is then looked for in that text.
 */
export type Place = {
  readonly step: (byte: number) => Spelled;
  /** What comes next may change the text before: a letter may get an accent. */
  readonly isOpen: boolean;
};

/**
 * What one more byte of a key adds to the text, in UTF-8, and the place behind it. whole: only all
 * bytes of a part together say what it is. unknown: only the whole key does.
 */
export type Spelled =
  | { readonly kind: 'adds'; readonly text: Uint8Array; readonly next: Place }
  | {
      readonly kind: 'whole';
      readonly write: WritePart;
      readonly after: Uint8Array;
      readonly next: Place;
    }
  | { readonly kind: 'unknown' };

/**
 * Writes the text of a part of which the last byte is at `last`, and gives its length, which is at
 * most WRITTEN_BYTES.
 */
export type WritePart = (bytes: Uint8Array, last: number, into: Uint8Array) => number;

/** Room for the longest: an IPv6 address, and the number of an interface. */
export const WRITTEN_BYTES = 64;

/** Behind the last byte of a key. */
export const KEY_END: Place = {
  isOpen: false,
  step() {
    throw new DamagedSegment('a key goes on after its last part');
  },
};

const UTF8 = new TextEncoder();

const textBytes = (text: string): Uint8Array => UTF8.encode(text);

export const adding = (spell: (byte: number) => string, next: Place): Place => ({
  isOpen: false,
  step: (byte) => ({ kind: 'adds', text: textBytes(spell(byte)), next }),
});

export type Run = {
  readonly count: number;
  readonly spell: (byte: number) => string;
  /** Before the first byte, between two, and behind the last. */
  readonly before: string;
  readonly between: string;
  readonly after: string;
};

/** So many bytes, each of which adds a text. */
export function run({ count, spell, before, between, after }: Run, next: Place): Place {
  let place = next;
  for (let i = count - 1; i >= 0; i -= 1) {
    const lead = i === 0 ? before : between;
    const trail = i === count - 1 ? after : '';
    place = adding((byte) => `${lead}${spell(byte)}${trail}`, place);
  }
  return place;
}

/** So many bytes that add nothing. */
export function silent(count: number, next: Place): Place {
  const nothing = { count, spell: () => '', before: '', between: '', after: '' };
  return run(nothing, next);
}

/** The last byte of a part that is written when it is complete. */
export function writing(write: WritePart, after: string, next: Place): Place {
  const spelled: Spelled = { kind: 'whole', write, after: textBytes(after), next };
  return { isOpen: false, step: () => spelled };
}

/** Two bytes that say together what is added. */
export function pair(spell: (first: number, second: number) => string, next: Place): Place {
  const seconds = new Map<number, Place>();
  return {
    isOpen: false,
    step(first) {
      let place = seconds.get(first);
      if (place === undefined) {
        place = adding((second) => spell(first, second), next);
        seconds.set(first, place);
      }
      return { kind: 'adds', text: textBytes(''), next: place };
    },
  };
}

/** The tag that says whether a part ends here or goes on (byte-part.ts). */
export function tag(after: string, ends: Place, goesOn: Place): Place {
  return {
    isOpen: false,
    step: (byte) =>
      byte === ENDS
        ? { kind: 'adds', text: textBytes(after), next: ends }
        : { kind: 'adds', text: textBytes(''), next: goesOn },
  };
}
