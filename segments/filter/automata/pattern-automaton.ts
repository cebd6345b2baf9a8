import type { PatternProgram } from '../../../domain/filters/pattern-program.ts';
import { charClassesOf } from './char-classes.ts';
import { PatternStates } from './pattern-states.ts';
import { ACCEPTED, FIRST_STATE, type TextAutomaton, TooManyStates } from './text-automaton.ts';

/** States between characters, and as many within them. */
const MAX_STATES = 2_000;

/** A state between characters; or, within one, the first of those it may be, and bytes to come. */
type Within = { readonly from: number; readonly codePoint: number; readonly left: number };

/** Finds a pattern anywhere in a text of UTF-8. Its states are made when they are first met. */
export function patternAutomaton(program: PatternProgram): TextAutomaton {
  const classes = charClassesOf(program.instructions);
  const states = new PatternStates(program, classes, MAX_STATES);
  const withins: Within[] = [];
  const known = new Map<string, number>();

  function enter(within: Within): number {
    const last = within.codePoint + 2 ** (6 * within.left) - 1;
    // Where all that it may be is of one class, it does not matter which it is.
    const isKnown = classes.isOneClass(within.codePoint, last);
    const which = isKnown ? `c${classes.classOf(within.codePoint)}` : within.codePoint;
    const name = `${within.from} ${within.left} ${which}`;
    let number = known.get(name);
    if (number === undefined) {
      if (withins.length >= MAX_STATES) throw new TooManyStates();
      number = withins.push(within) - 1;
      known.set(name, number);
    }
    return FIRST_STATE + MAX_STATES + number;
  }

  function stepWithin({ from, codePoint, left }: Within, byte: number): number {
    const further = codePoint + ((byte & 0x3f) << (6 * (left - 1)));
    // A character that stands for all others of its class must not become one of another.
    const isKnown = classes.isOneClass(codePoint, codePoint + 2 ** (6 * left) - 1);
    const next = isKnown ? codePoint : further;
    if (left === 1) return states.step(from, classes.classOf(next));
    return enter({ from, codePoint: next, left: left - 1 });
  }

  function step(state: number, byte: number): number {
    const within = withins[state - FIRST_STATE - MAX_STATES];
    if (within !== undefined) return stepWithin(within, byte);
    if (byte < 0x80) return states.step(state, classes.classOf(byte));
    return enter({ from: state, ...lead(byte) });
  }

  return {
    start: states.start(),
    read(from, text, length) {
      let state = from;
      for (let i = 0; i < length && state >= FIRST_STATE; i += 1) {
        state = step(state, text[i] as number);
      }
      return state;
    },
    // No text ends within a character.
    acceptsEnd: (state) => state === ACCEPTED || (isBetween(state) && states.acceptsEnd(state)),
  };
}

const isBetween = (state: number): boolean =>
  state >= FIRST_STATE && state < FIRST_STATE + MAX_STATES;

/** What the first byte of a longer character says of it. */
function lead(byte: number): { codePoint: number; left: number } {
  if (byte < 0xe0) return { codePoint: (byte & 0x1f) << 6, left: 1 };
  if (byte < 0xf0) return { codePoint: (byte & 0x0f) << 12, left: 2 };
  return { codePoint: (byte & 0x07) << 18, left: 3 };
}
