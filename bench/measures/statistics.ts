/** Times of several runs, in milliseconds. */
export type Figures = {
  readonly runs: number;
  readonly median: number;
  readonly p99: number;
  readonly least: number;
};

/** Uses the nearest rank: with fewer than 100 runs, p99 is the slowest of them. */
export function figuresOf(times: readonly number[]): Figures {
  const ascending = times.toSorted((a, b) => a - b);
  const at = (rank: number): number =>
    ascending[Math.max(1, Math.ceil((rank * ascending.length) / 100)) - 1] ?? Number.NaN;
  return { runs: times.length, median: at(50), p99: at(99), least: at(0) };
}

/** The distribution of figures of any unit. */
export type Spread = {
  readonly runs: number;
  readonly median: number;
  readonly p95: number;
  readonly most: number;
};

/** Uses the nearest rank. NaN if there are no figures. */
export function spreadOf(figures: readonly number[]): Spread {
  const ascending = figures.toSorted((a, b) => a - b);
  const at = (rank: number): number =>
    ascending[Math.max(1, Math.ceil((rank * ascending.length) / 100)) - 1] ?? Number.NaN;
  return { runs: figures.length, median: at(50), p95: at(95), most: at(100) };
}
