import { LIMITS } from '../../domain/limits.ts';
import type { SubscriptionDeps } from './deps.ts';
import { type FollowedOptions, Subscribers } from './subscribers.ts';

/**
 * Decides when a query is asked again: as soon as its answer may have changed, but at most once
 * per interval, and never twice at once. Changes in between are answered when the interval ends.
 * Failures are retried with growing pauses.
 */
export class Pace {
  readonly #everyMs: number;
  /** Resolves to false if it failed and is worth a retry. */
  readonly #ask: () => Promise<boolean>;
  readonly #onDefect: (error: unknown) => void;
  #isDue = false;
  #isAsking = false;
  #isOver = false;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #timer: NodeJS.Timeout | null = null;

  /** onDefect: called if `ask` rejects, which counts as failed. */
  constructor(everyMs: number, ask: () => Promise<boolean>, onDefect: (error: unknown) => void) {
    this.#everyMs = everyMs;
    this.#ask = ask;
    this.#onDefect = onDefect;
  }

  /** Whether a change was not answered yet, or the last attempt failed. */
  get isDue(): boolean {
    return this.#isDue;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** To be called when the answer may have changed. */
  due(): void {
    this.#isDue = true;
    this.#plan(this.#everyMs);
  }

  /** To be called when a subscriber waits for an answer. */
  now(): void {
    this.#isDue = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#plan(0);
  }

  /** To be called when the snapshot is about to be taken: later changes need another answer. */
  begins(): void {
    this.#isDue = false;
    this.#requestedAt = performance.now();
  }

  end(): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  #plan(sinceRequestMs: number): void {
    if (this.#isAsking || this.#timer || this.#isOver) return;
    const ask = () => {
      this.#timer = null;
      void this.#run();
    };
    const waitMs = this.#requestedAt + sinceRequestMs - performance.now();
    this.#timer = setTimeout(ask, Math.max(0, waitMs));
  }

  async #run(): Promise<void> {
    this.#isAsking = true;
    const isAnswered = await this.#ask().catch((error: unknown) => {
      this.#onDefect(error);
      return false;
    });
    this.#isAsking = false;
    this.#failures = isAnswered ? 0 : this.#failures + 1;
    this.#isDue ||= !isAnswered;
    // It may have failed before a snapshot was taken. Pauses begin after the failure.
    if (!isAnswered) this.#requestedAt = performance.now();
    if (this.#isDue) this.#plan(Math.max(this.#everyMs, this.#pauseMs()));
  }

  #pauseMs(): number {
    if (this.#failures === 0) return 0;
    return Math.min(LIMITS.liveRetryMs * 2 ** (this.#failures - 1), LIMITS.liveLongestRetryMs);
  }
}

type Work = {
  /** Answers the subscribers; resolves to false if that failed and is worth a retry. */
  readonly ask: () => Promise<boolean>;
  /** Called when the last subscriber has left. */
  readonly unwatch: () => void;
};

/** The subscribers of one query, and the pace at which they are answered until all have left. */
export function pacedSubscribers(
  deps: SubscriptionDeps,
  { onEnd, ...options }: FollowedOptions,
  { ask, unwatch }: Work,
): { readonly subscribers: Subscribers; readonly pace: Pace } {
  const subscribers = new Subscribers(deps, {
    ...options,
    onConfirmed: () => pace.due(),
    onEnd: () => {
      pace.end();
      unwatch();
      onEnd();
    },
  });
  const pace = new Pace(subscribers.followed.everyMs, ask, (err) =>
    deps.service.log.error({ err }, 'a subscription could not be answered'),
  );
  return { subscribers, pace };
}
