/** Of a number of runs, in milliseconds. */
export type Figures = {
  readonly runs: number;
  readonly median: number;
  readonly p99: number;
  readonly least: number;
};

/** Nearest rank: with less than 100 runs, p99 is the slowest of them. */
export function figuresOf(times: readonly number[]): Figures {
  const ascending = times.toSorted((a, b) => a - b);
  const at = (rank: number): number =>
    ascending[Math.max(1, Math.ceil((rank * ascending.length) / 100)) - 1] ?? Number.NaN;
  return { runs: times.length, median: at(50), p99: at(99), least: at(0) };
}
