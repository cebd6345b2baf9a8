import type { PatternProgram } from '../../../domain/filters/pattern-program.ts';
import type { Sliced } from '../../../domain/sliced.ts';
import { charClassesOf } from './char-classes.ts';
import { PatternStates } from './pattern-states.ts';
import { ACCEPTED, FIRST_STATE, type TextAutomaton, TooManyStates } from './text-automaton.ts';

/** Maximum number of states between characters, and also of states within characters. */
const MAX_STATES = 2_000;

/**
 * A state within a character: the state before it, the first of the code points that it may be, and
 * the number of bytes left.
 */
type Within = { readonly from: number; readonly codePoint: number; readonly left: number };

/** Finds a pattern anywhere in UTF-8 text. States are created when they are first reached. */
export function* patternAutomaton(program: PatternProgram): Sliced<TextAutomaton> {
  const classes = yield* charClassesOf(program.instructions);
  const states = new PatternStates(program, classes, MAX_STATES);
  const withins: Within[] = [];
  const known = new Map<string, number>();

  function enter(within: Within): number {
    const last = within.codePoint + 2 ** (6 * within.left) - 1;
    // If all code points that it may be are of one class, it does not matter which one it is.
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
    // A code point that represents its whole class must not change into one of another class.
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
    work: () => states.work,
  };
}

const isBetween = (state: number): boolean =>
  state >= FIRST_STATE && state < FIRST_STATE + MAX_STATES;

/** Decodes the first byte of a multi-byte character. */
function lead(byte: number): { codePoint: number; left: number } {
  if (byte < 0xe0) return { codePoint: (byte & 0x1f) << 6, left: 1 };
  if (byte < 0xf0) return { codePoint: (byte & 0x0f) << 12, left: 2 };
  return { codePoint: (byte & 0x07) << 18, left: 3 };
}
