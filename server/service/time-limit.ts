import { onEndOf, type TimeBound, timedOut } from '../../db/session/time-bound.ts';
import { LIMITS } from '../../domain/limits.ts';

/** The reason for aborting work that is left when a request has been answered. */
class RequestOver extends Error {
  constructor() {
    super('the request is over');
    this.name = 'RequestOver';
  }
}

const OVER = new RequestOver();

/** What ends a request early: its caller, its time limit, or its own early end. */
export class TimeLimit {
  readonly #bound: TimeBound | null;
  readonly #caller: AbortSignal;
  readonly #stop = new AbortController();
  #stopTimer: () => void;
  #isOverdue = false;
  #isAbandoned = false;
  /** Called when the request goes on for long after its time limit. */
  #onOverdue: (() => void) | null = null;

  /** bound null: there is no time limit. */
  constructor(caller: AbortSignal, bound: TimeBound | null) {
    this.#caller = caller;
    this.#bound = bound;
    if (caller.aborted) this.#leave();
    caller.addEventListener('abort', this.#leave, { once: true });
    this.#stopTimer = onEndOf(bound, () => this.#passed());
  }

  /** Aborted when the caller has gone or the time limit has passed; its reason says which. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Settles as `work` does, or fails if it goes on for long after the time limit. */
  enforce<T>(work: Promise<T>): Promise<T> {
    if (!this.#bound) return work;
    const { seconds, until } = this.#bound;
    return new Promise((resolve, reject) => {
      this.#onOverdue = () => reject(timedOut({ seconds, until }));
      if (this.#isOverdue) this.#onOverdue();
      work.then(resolve, reject);
    });
  }

  /** Resolves when `work` has settled, or at the latest a moment after the time limit. */
  async waitFor(work: Promise<unknown>): Promise<void> {
    if (!this.signal.aborted) {
      await work;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#onOverdue = resolve;
      if (this.#isOverdue) resolve();
      const done = () => resolve();
      work.then(done, done);
    });
  }

  /** Notes that not all that was begun is needed: what is left is cancelled at the end. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Call when the request is over. */
  end(): void {
    if (this.#isAbandoned) this.#stop.abort(OVER);
    this.#stopTimer();
    this.#caller.removeEventListener('abort', this.#leave);
  }

  readonly #leave = (): void => this.#stop.abort(this.#caller.reason);

  #passed(): void {
    if (!this.#bound) return;
    this.#stop.abort(timedOut(this.#bound));
    const late = { ...this.#bound, until: this.#bound.until + LIMITS.overdueMs };
    this.#stopTimer = onEndOf(late, () => {
      this.#isOverdue = true;
      this.#onOverdue?.();
    });
  }
}
