/** A source of numbers that look random but are the same every time. */
export type Random = {
  /** At least 0 and below 1. */
  readonly next: () => number;
  /** An integer from 0 to `count` − 1. */
  readonly below: (count: number) => number;
  readonly pick: <T>(choices: readonly T[]) => T;
  /**
   * A value around `median`. `spread` 0 gives the median, 2 occasionally a hundred times as much.
   */
  readonly around: (median: number, spread: number) => number;
};

/**
 * Creates a mulberry32 generator (Tommy Ettinger): 32 bits of state, good enough to invent traffic.
 */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    pick: (choices) => {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new Error('there is nothing to pick from');
      return choice;
    },
    around: (median, spread) => median * Math.exp(spread * normal(next)),
  };
}

/** Returns a normally distributed number, by the method of Box and Muller. */
const normal = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
