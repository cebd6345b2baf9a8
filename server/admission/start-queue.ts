import { isTurnFree, queueStart } from '../../resolvers/loaders/session/event-loop-turns.ts';

type Waiting = {
  /** In milliseconds. */
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: () => void;
};

/** For so long after a refusal the server counts as overloaded. */
const OVERLOADED_MS = 1_000;

/** How long a request may wait meanwhile. */
const OVERLOADED_WAIT_MS = 50;

/**
 * Requests that wait to be begun, in the order in which they came, each for a limited time. A queue
 * that a moment's standstill has left is worked off, so the limit is long. While the server has to
 * refuse requests anyway, the queue only makes everybody wait, so the limit is short (Nichols and
 * Jacobson, Controlling Queue Delay, ACM Queue 10/5, 2012; for servers: Maurer, Fail at Scale, ACM
 * Queue 13/8, 2015).
 */
export class StartQueue {
  readonly #waitMs: number;
  readonly #now: () => number;
  readonly #waiting: Waiting[] = [];
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** waitMs: how long a request may wait as long as none is refused; now: milliseconds. */
  constructor(waitMs: number, now: () => number = () => performance.now()) {
    this.#waitMs = waitMs;
    this.#now = now;
  }

  /** A request was refused, for whatever reason. */
  noteRefusal(): void {
    this.#refusedAt = this.#now();
  }

  /** Whether one more would probably wait for too long. */
  get isFull(): boolean {
    const [oldest] = this.#waiting;
    if (!oldest) return false;
    const now = this.#now();
    return this.#isOverloaded(now) && now - oldest.since > OVERLOADED_WAIT_MS / 2;
  }

  /**
   * Resolves when the request may begin; undefined: it may at once. Rejects with what `refusal`
   * gives if it had to wait for too long.
   */
  wait(refusal: () => Error): Promise<void> | undefined {
    if (isTurnFree()) return undefined;
    return new Promise((begin, reject) => {
      this.#waiting.push({ since: this.#now(), begin, refuse: () => reject(refusal()) });
      queueStart(() => this.#beginOne());
    });
  }

  #beginOne(): void {
    const now = this.#now();
    const most = this.#isOverloaded(now)
      ? Math.min(OVERLOADED_WAIT_MS, this.#waitMs)
      : this.#waitMs;
    while (now - (this.#waiting[0]?.since ?? now) > most) this.#waiting.shift()?.refuse();
    this.#waiting.shift()?.begin();
  }

  #isOverloaded(now: number): boolean {
    return now - this.#refusedAt < OVERLOADED_MS;
  }
}
