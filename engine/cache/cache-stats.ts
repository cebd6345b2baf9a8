/** Counts the hits and misses of a cache. */
export class CacheStats {
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
