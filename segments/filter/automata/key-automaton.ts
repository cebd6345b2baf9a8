import { type Spelled, type SpellingState, WRITTEN_BYTES } from '../spelling/spelling-state.ts';
import { ACCEPTED, REJECTED, type TextAutomaton, TooManyStates } from './text-automaton.ts';

/** In the table: the next state is not computed yet, or depends on more than the byte. */
export const NOT_KNOWN = 0;
const REJECTED_KEY = 1;
export const ACCEPTED_KEY = 2;
/** The whole key must be tested in another way. */
export const UNDECIDED_KEY = 3;
/** In this state and all higher ones, reading continues. */
export const FIRST_KEY_STATE = 4;

/** Maximum number of states, at a thousand bytes each. */
const MAX_STATES = 16_384;
const FIRST_ROOM = 64;

/**
 * Reads compact keys and determines whether something is found in the text that they spell. A state
 * combines a spelling state and a state of the automaton that reads the text. So no text is ever
 * made of most keys: each byte takes one table lookup.
 */
export class KeyAutomaton {
  readonly #text: TextAutomaton;
  readonly #spellings: SpellingState[] = [];
  readonly #textStates: number[] = [];
  /**
   * States by spelling state and state of the text. Those of the last spelling state are cached
   * separately because mostly the next state is one of them.
   */
  readonly #known = new Map<SpellingState, (number | undefined)[]>();
  #lastSpelling: SpellingState | null = null;
  #ofLastSpelling: (number | undefined)[] = [];
  readonly #written = new Uint8Array(WRITTEN_BYTES);
  /**
   * The state after byte b in state s is at 256 s + b. 0 means that `follow` must be called, and
   * leads only to 0.
   */
  table = new Int32Array(FIRST_ROOM << 8);
  /** By state: 1 if a key that ends there is accepted. */
  ends = new Uint8Array(FIRST_ROOM);

  constructor(text: TextAutomaton) {
    this.#text = text;
    this.#spellings.length = FIRST_KEY_STATE;
    this.#textStates.length = FIRST_KEY_STATE;
    this.ends[ACCEPTED_KEY] = 1;
    for (const state of [REJECTED_KEY, ACCEPTED_KEY, UNDECIDED_KEY]) {
      this.table.fill(state, state << 8, (state + 1) << 8);
    }
  }

  /** The number of instructions of a pattern visited so far to make states. */
  get work(): number {
    return this.#text.work();
  }

  /** Returns the state of a key that begins with this spelling state. */
  startAt(spelling: SpellingState): number {
    return this.#stateOf(spelling, this.#text.start);
  }

  /** Returns the state after the byte of a key at `at`. Errors: TooManyStates. */
  follow(state: number, bytes: Uint8Array, at: number): number {
    const byte = bytes[at] as number;
    const known = this.table[(state << 8) | byte] as number;
    if (known !== NOT_KNOWN) return known;
    const spelled = (this.#spellings[state] as SpellingState).step(byte);
    const from = this.#textStates[state] as number;
    if (spelled.kind === 'whole') return this.#write(spelled, from, bytes, at);
    const next =
      spelled.kind === 'unknown'
        ? UNDECIDED_KEY
        : this.#stateOf(spelled.next, this.#text.read(from, spelled.text, spelled.text.length));
    this.table[(state << 8) | byte] = next;
    return next;
  }

  #write(
    { write, after, next }: Extract<Spelled, { kind: 'whole' }>,
    from: number,
    bytes: Uint8Array,
    last: number,
  ): number {
    const length = write(bytes, last, this.#written);
    const read = this.#text.read(from, this.#written, length);
    return this.#stateOf(next, this.#text.read(read, after, after.length));
  }

  #stateOf(spelling: SpellingState, textState: number): number {
    if (textState === REJECTED) return REJECTED_KEY;
    if (textState === ACCEPTED && !spelling.isOpen) return ACCEPTED_KEY;
    const ofSpelling =
      spelling === this.#lastSpelling ? this.#ofLastSpelling : this.#statesOf(spelling);
    const known = ofSpelling[textState];
    if (known !== undefined) return known;
    const state = this.#spellings.length;
    if (state >= MAX_STATES) throw new TooManyStates();
    if (state >= this.ends.length) this.#grow();
    this.#spellings.push(spelling);
    this.#textStates.push(textState);
    this.ends[state] = this.#text.acceptsEnd(textState) ? 1 : 0;
    ofSpelling[textState] = state;
    return state;
  }

  #statesOf(spelling: SpellingState): (number | undefined)[] {
    const states = this.#known.get(spelling) ?? [];
    this.#known.set(spelling, states);
    this.#lastSpelling = spelling;
    this.#ofLastSpelling = states;
    return states;
  }

  #grow(): void {
    const table = new Int32Array(2 * this.table.length);
    table.set(this.table);
    this.table = table;
    const ends = new Uint8Array(2 * this.ends.length);
    ends.set(this.ends);
    this.ends = ends;
  }
}
