import { ASSERTIONS, type PatternProgram } from '../../../domain/filters/pattern-program.ts';
import { type CharClasses, isInRanges, isWordCharacter } from './char-classes.ts';
import { ACCEPTED, FIRST_STATE, REJECTED, TooManyStates } from './text-automaton.ts';

/*
 * Subset construction, one step at a time. A state stands for all instructions that the text read
 * so far may have led to, and is created when it is first reached. Assertions about the text before
 * a position are resolved there; assertions about what follows are kept in the state until that is
 * read.
 *
 * No key has a line break, so a line is the whole text.
 */

/** What is known about the text before a position between two characters. */
const AT_BEGIN = 1;
const AFTER_WORD = 2;

/** What follows the position. */
type Ahead = 'unknown' | 'word' | 'other' | 'end';

const BEGINS = ASSERTIONS.beginText | ASSERTIONS.beginLine;
const ENDS = ASSERTIONS.endText | ASSERTIONS.endLine;
const FOLLOWS = ENDS | ASSERTIONS.wordBoundary | ASSERTIONS.noWordBoundary;

/**
 * Instructions that consume a character or wait for what follows, ascending, and what is known
 * about the text before.
 */
type State = { readonly threads: readonly number[]; readonly context: number };

/**
 * Maximum number of instructions visited in total, which takes some tenths of a second. Only
 * counted repetitions need more.
 */
const MAX_WORK = 4_000_000;

export class PatternStates {
  readonly #program: PatternProgram;
  readonly #classes: CharClasses;
  readonly #maxStates: number;
  readonly #states: State[] = [];
  readonly #known = new Map<string, number>();
  readonly #steps = new Map<number, number>();
  /** Number of instructions visited so far. */
  work = 0;

  constructor(program: PatternProgram, classes: CharClasses, maxStates: number) {
    this.#program = program;
    this.#classes = classes;
    this.#maxStates = maxStates;
  }

  start(): number {
    return this.#stateOf([this.#program.start], AT_BEGIN);
  }

  /** Returns the state after a character of this class. Errors: TooManyStates. */
  step(state: number, charClass: number): number {
    const step = (state - FIRST_STATE) * this.#classes.count + charClass;
    const known = this.#steps.get(step);
    if (known !== undefined) return known;
    const next = this.#makeStep(state, this.#classes.exampleOf(charClass));
    this.#steps.set(step, next);
    return next;
  }

  acceptsEnd(state: number): boolean {
    const { threads, context } = this.#at(state);
    return this.#follow(threads, context, 'end') === null;
  }

  #makeStep(state: number, codePoint: number): number {
    const { threads, context } = this.#at(state);
    const isWord = isWordCharacter(codePoint);
    const reached = this.#follow(threads, context, isWord ? 'word' : 'other');
    if (reached === null) return ACCEPTED;
    const next: number[] = [];
    for (const at of reached) {
      const instruction = this.#program.instructions[at];
      if (instruction?.kind === 'chars' && isInRanges(instruction.ranges, codePoint)) {
        next.push(instruction.next);
      }
    }
    // A match may begin at any position.
    next.push(this.#program.start);
    return this.#stateOf(next, isWord ? AFTER_WORD : 0);
  }

  #at(state: number): State {
    const found = this.#states[state - FIRST_STATE];
    if (found === undefined) throw new RangeError(`no state ${state} of a pattern`);
    return found;
  }

  #stateOf(starts: readonly number[], context: number): number {
    const threads = this.#follow(starts, context, 'unknown');
    if (threads === null) return ACCEPTED;
    if (threads.length === 0) return REJECTED;
    threads.sort((a, b) => a - b);
    const isWaiting = threads.some((at) => this.#program.instructions[at]?.kind === 'where');
    const state = { threads, context: isWaiting ? context : 0 };
    const name = `${state.context} ${threads.join()}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#states.length >= this.#maxStates) throw new TooManyStates();
    const number = FIRST_STATE + this.#states.push(state) - 1;
    this.#known.set(name, number);
    return number;
  }

  /**
   * Returns the instructions that are reachable from these without consuming a character and that
   * either consume one or have to wait for what follows; null if the pattern is found.
   */
  #follow(starts: readonly number[], context: number, ahead: Ahead): number[] | null {
    const seen = new Set<number>();
    const pending = [...starts];
    const threads: number[] = [];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const instruction = this.#program.instructions[at];
      if (instruction === undefined || instruction.kind === 'found') return null;
      if (instruction.kind === 'chars') threads.push(at);
      else if (instruction.kind === 'skip') pending.push(instruction.next);
      else if (instruction.kind === 'either') pending.push(instruction.next, instruction.other);
      else if (instruction.kind === 'where') {
        const { holds, next } = instruction;
        if (!mayHold(holds, context, ahead)) continue;
        if (ahead === 'unknown' && (holds & FOLLOWS) !== 0) threads.push(at);
        else pending.push(next);
      }
    }
    this.work += seen.size;
    if (this.work > MAX_WORK) throw new TooManyStates();
    return threads;
  }
}

/** Returns false if one of the assertions is known not to hold. */
function mayHold(holds: number, context: number, ahead: Ahead): boolean {
  if ((holds & BEGINS) !== 0 && (context & AT_BEGIN) === 0) return false;
  if (ahead === 'unknown') return true;
  if ((holds & ENDS) !== 0 && ahead !== 'end') return false;
  const isBoundary = ((context & AFTER_WORD) !== 0) !== (ahead === 'word');
  const excluded = isBoundary ? ASSERTIONS.noWordBoundary : ASSERTIONS.wordBoundary;
  return (holds & excluded) === 0;
}
