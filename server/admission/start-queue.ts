import { isTurnFree, queueStart } from '../../resolvers/loaders/session/event-loop-turns.ts';

type Waiting = {
  /** In milliseconds. */
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: () => void;
};

/** For so long after a refusal the server counts as overloaded. */
const OVERLOADED_MS = 1_000;

/**
 * Requests that wait to be begun, each for a limited time. The oldest goes first, so that after a
 * moment's standstill everybody waits about as long. While the server has to refuse some, the
 * newest goes first: if all waited equally, all would wait for long (adaptive LIFO; Maurer, Fail at
 * Scale, ACM Queue 13/8, 2015).
 */
export class StartQueue {
  readonly #waitMs: number;
  readonly #waiting: Waiting[] = [];
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** waitMs: how long a request may wait. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** A request was refused, for whatever reason. */
  noteRefusal(): void {
    this.#refusedAt = performance.now();
  }

  /**
   * Resolves when the request may begin; undefined: it may at once. Rejects with what `refusal`
   * gives if it had to wait for too long.
   */
  wait(refusal: () => Error): Promise<void> | undefined {
    if (isTurnFree()) return undefined;
    return new Promise((begin, reject) => {
      this.#waiting.push({ since: performance.now(), begin, refuse: () => reject(refusal()) });
      queueStart(() => this.#beginOne());
    });
  }

  #beginOne(): void {
    const now = performance.now();
    while (now - (this.#waiting[0]?.since ?? now) > this.#waitMs) this.#waiting.shift()?.refuse();
    const isOverloaded = now - this.#refusedAt < OVERLOADED_MS;
    const next = isOverloaded ? this.#waiting.pop() : this.#waiting.shift();
    next?.begin();
  }
}
