/** How often a memory had what was looked for, and how often it had not. */
export class Tally {
  #hits = 0;
  #misses = 0;

  get hits(): number {
    return this.#hits;
  }

  get misses(): number {
    return this.#misses;
  }

  count(hits: number, misses: number): void {
    this.#hits += hits;
    this.#misses += misses;
  }
}
