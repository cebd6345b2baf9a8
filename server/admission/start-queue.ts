import { hasTimeLeft, queueStart } from '../../engine/snapshot/event-loop-scheduler.ts';

type Waiting = {
  /** When the request was queued, in milliseconds. */
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: () => void;
};

/** How long after a refusal the server counts as overloaded. */
const OVERLOADED_MS = 1_000;

/** How long a request may wait while the server is overloaded. */
const OVERLOADED_WAIT_MS = 50;

/**
 * A queue of requests that wait to be started, in order of arrival, each for a limited time. A
 * queue left by a short standstill is worked off, so the limit is long. While the server has to
 * refuse requests anyway, the queue only makes everybody wait, so the limit is short (Nichols and
 * Jacobson, Controlling Queue Delay, ACM Queue 10/5, 2012; for servers: Maurer, Fail at Scale, ACM
 * Queue 13/8, 2015).
 */
export class StartQueue {
  readonly #waitMs: number;
  readonly #now: () => number;
  readonly #waiting: Waiting[] = [];
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** waitMs: how long a request may wait while none is refused; now: a clock in milliseconds. */
  constructor(waitMs: number, now: () => number = () => performance.now()) {
    this.#waitMs = waitMs;
    this.#now = now;
  }

  /** Notes that a request was refused, for whatever reason. */
  noteRefusal(): void {
    this.#refusedAt = this.#now();
  }

  /** Whether one more request would probably wait too long. */
  get isFull(): boolean {
    const [oldest] = this.#waiting;
    if (!oldest) return false;
    const now = this.#now();
    return this.#isOverloaded(now) && now - oldest.since > OVERLOADED_WAIT_MS / 2;
  }

  /**
   * Resolves when the request may start; undefined: immediately. Rejects with the error that
   * `refusal` returns if the request waited too long.
   */
  wait(refusal: () => Error): Promise<void> | undefined {
    if (hasTimeLeft()) return undefined;
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
