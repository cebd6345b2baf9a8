import { ACCEPTED, FIRST_STATE, type TextAutomaton } from './text-automaton.ts';

/**
 * Finds a text anywhere in another one (Knuth, Morris and Pratt). The state is the number of bytes
 * of the needle that were just matched.
 */
export function needleAutomaton(needle: string): TextAutomaton {
  const wanted = Buffer.from(needle);
  const shorter = shorterMatches(wanted);
  const [first] = wanted;
  // For each state reached so far, the next state for every byte.
  const rows: (Uint32Array | undefined)[] = [];
  const step = (state: number, byte: number): number => {
    let matched = state - FIRST_STATE;
    while (matched > 0 && wanted[matched] !== byte) matched = shorter[matched - 1] as number;
    if (wanted[matched] === byte) matched += 1;
    return matched === wanted.length ? ACCEPTED : matched + FIRST_STATE;
  };
  const makeRow = (state: number): Uint32Array => {
    const row = Uint32Array.from({ length: 256 }, (_, byte) => step(state, byte));
    rows[state] = row;
    return row;
  };
  return {
    start: wanted.length === 0 ? ACCEPTED : FIRST_STATE,
    read(from, text, length) {
      let state = from;
      for (let i = 0; i < length && state !== ACCEPTED; i += 1) {
        // The common case needs no row: no match has begun, and this byte does not begin one.
        if (state === FIRST_STATE && text[i] !== first) continue;
        const row = rows[state] ?? makeRow(state);
        state = row[text[i] as number] as number;
      }
      return state;
    },
    acceptsEnd: (state) => state === ACCEPTED,
    work: () => 0,
  };
}

/**
 * Returns, for each prefix of the text, the length of the longest shorter prefix that it ends with.
 */
function shorterMatches(wanted: Uint8Array): Uint32Array {
  const lengths = new Uint32Array(wanted.length);
  let matched = 0;
  for (let i = 1; i < wanted.length; i += 1) {
    while (matched > 0 && wanted[matched] !== wanted[i]) matched = lengths[matched - 1] as number;
    if (wanted[matched] === wanted[i]) matched += 1;
    lengths[i] = matched;
  }
  return lengths;
}
