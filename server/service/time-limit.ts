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

/** Starts the time limit of a request; `bound` null: only the caller can end it. */
export function startTimeLimit(caller: AbortSignal, bound: TimeBound | null): TimeLimit {
  if (bound === null) {
    return {
      signal: caller,
      enforce: (work) => work,
      waitFor: async (work) => void (await work),
      end: () => undefined,
    };
  }
  const stop = new AbortController();
  const leave = () => stop.abort(caller.reason);
  if (caller.aborted) leave();
  caller.addEventListener('abort', leave, { once: true });
  const stopTimer = onEndOf(bound, () => stop.abort(timedOut(bound)));
  let stopOverdue = () => {};
  const overdue = new Promise<typeof OVERDUE>((resolve) => {
    const until = bound.until + LIMITS.overdueMs;
    stopOverdue = onEndOf({ ...bound, until }, () => resolve(OVERDUE));
  });
  return {
    signal: stop.signal,
    async enforce(work) {
      const first = await Promise.race([work, overdue]);
      if (first === OVERDUE) throw timedOut(bound);
      return first;
    },
    waitFor: async (work) => void (await Promise.race([work, overdue])),
    end() {
      stopTimer();
      stopOverdue();
      caller.removeEventListener('abort', leave);
    },
  };
}

const OVERDUE = Symbol('the request is overdue');
