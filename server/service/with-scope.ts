import { onEndOf, timedOut } from '../../db/session/deadline.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  AnswerPostponed,
  type Deadline,
  PagesGone,
  RetryRequest,
} from '../../resolvers/loaders/request-reads.ts';
import type { AnonymousScope } from '../../resolvers/request-scope.ts';
import type { Arrival, ScopeRequest, Service } from './service.ts';

/**
 * Maximum number of attempts. A request is retried once because the data have changed or a standby
 * was passed over, and once for each node whose pooler loses statements.
 */
const MAX_ATTEMPTS = 4;

/** A request whose manifest's pages are gone is retried with a fresh manifest, at most twice. */
const MAX_MANIFESTS = 3;

/**
 * Opens the scope of one request, runs `work` in it, and releases what the scope holds. Most
 * requests need one statement, which then runs without a transaction. The whole work is retried
 * from the start, on the primary and in one transaction, if the data change between that statement
 * and the next one, a pooler loses a prepared statement, pages of the manifest were swept, or the
 * chosen standby cannot answer. The time limit starts with the request, and bounds all attempts.
 */
export async function withScope<T>(
  service: Service,
  request: ScopeRequest,
  timeoutSeconds: number | null,
  work: (scope: AnonymousScope) => Promise<T>,
): Promise<T> {
  const arrival = service.arrive(request.arrivedAt);
  const limit = new TimeLimit(request.signal, deadlineOf(arrival, timeoutSeconds));
  const attempt = async (mayRetry: boolean) => {
    const scope = service.openScope(timeoutSeconds, request, {
      arrival,
      mayRetry: mayRetry,
      limit,
    });
    try {
      const result = await limit.enforce(work(scope));
      // GraphQL puts errors of fields into its result instead of throwing them.
      const { moved } = scope.reads;
      if (moved) throw moved;
      return result;
    } finally {
      // Cancelling a statement may take seconds if the database hangs.
      await limit.waitFor(scope.reads.end());
    }
  };
  let manifests = 1;
  let isAnswered = false;
  try {
    for (let attempts = 1; ; attempts += 1) {
      try {
        const result = await attempt(attempts === 1);
        isAnswered = true;
        return result;
      } catch (error) {
        if (error instanceof AnswerPostponed) {
          await request.waitForReaders?.(limit.signal);
          continue;
        }
        if (!(error instanceof RetryRequest) || attempts >= MAX_ATTEMPTS) throw error;
        if (error instanceof PagesGone && manifests === MAX_MANIFESTS) throw error;
        if (error instanceof PagesGone) manifests += 1;
      }
    }
  } finally {
    if (!isAnswered) limit.abandon();
    limit.end();
  }
}

const deadlineOf = ({ startedAt }: Arrival, seconds: number | null): Deadline | null =>
  seconds === null ? null : { seconds, until: startedAt + seconds * 1000 };

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
  readonly deadline: Deadline | null;
  readonly #caller: AbortSignal;
  readonly #stop = new AbortController();
  #stopTimer: () => void;
  #isOverdue = false;
  #isAbandoned = false;
  /** Called when the request goes on for long after its time limit. */
  #onOverdue: (() => void) | null = null;

  /** deadline null: there is no time limit. */
  constructor(caller: AbortSignal, deadline: Deadline | null) {
    this.#caller = caller;
    this.deadline = deadline;
    if (caller.aborted) this.#leave();
    caller.addEventListener('abort', this.#leave, { once: true });
    this.#stopTimer = onEndOf(deadline, () => this.#passed());
  }

  /** Aborted when the caller has gone or the time limit has passed; its reason says which. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Settles as `work` does, or fails if it goes on for long after the time limit. */
  enforce<T>(work: Promise<T>): Promise<T> {
    if (!this.deadline) return work;
    const { seconds, until } = this.deadline;
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
    if (!this.deadline) return;
    this.#stop.abort(timedOut(this.deadline));
    const late = { ...this.deadline, until: this.deadline.until + LIMITS.overdueMs };
    this.#stopTimer = onEndOf(late, () => {
      this.#isOverdue = true;
      this.#onOverdue?.();
    });
  }
}
