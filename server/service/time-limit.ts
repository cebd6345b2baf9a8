import { onEndOf, type TimeBound, timedOut } from '../../db/session/time-bound.ts';
import { LIMITS } from '../../domain/limits.ts';

/** What ends a request early: its time limit, or its caller. */
export type TimeLimit = {
  /** Aborted when the caller has gone or the time limit has passed; its reason says which. */
  readonly signal: AbortSignal;
  /** Settles as `work` does, or fails if it goes on for long after the time limit. */
  readonly enforce: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when `work` has settled, or at the latest a moment after the time limit. */
  readonly waitFor: (work: Promise<unknown>) => Promise<void>;
  /** Call when the request is over. */
  readonly end: () => void;
};

/** Starts the time limit of a request; `bound` null: only its caller and its end end its work. */
export function startTimeLimit(caller: AbortSignal, bound: TimeBound | null): TimeLimit {
  const stop = new AbortController();
  const leave = () => stop.abort(caller.reason);
  if (caller.aborted) leave();
  caller.addEventListener('abort', leave, { once: true });
  const stopTimer = onEndOf(bound, () => stop.abort(bound && timedOut(bound)));
  let stopOverdue = () => {};
  const overdue = new Promise<typeof OVERDUE>((resolve) => {
    const late = bound && { ...bound, until: bound.until + LIMITS.overdueMs };
    stopOverdue = onEndOf(late, () => resolve(OVERDUE));
  });
  return {
    signal: stop.signal,
    async enforce(work) {
      const first = await Promise.race([work, overdue]);
      if (first === OVERDUE) throw bound && timedOut(bound);
      return first;
    },
    waitFor: async (work) => void (await Promise.race([work, overdue])),
    end() {
      stopTimer();
      stopOverdue();
      caller.removeEventListener('abort', leave);
      // What an operation that ended early has begun is of no use any more.
      stop.abort(new RequestOver());
    },
  };
}

const OVERDUE = Symbol('the request is overdue');

/** The reason for aborting work that is left when a request has been answered. */
class RequestOver extends Error {
  constructor() {
    super('the request is over');
    this.name = 'RequestOver';
  }
}
