import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { LATE_MS } from '../connection/running-time.ts';

/** A time limit of database work. `until` is on the clock of `performance.now()`. */
export type Deadline = { readonly seconds: number; readonly until: number };

export const STOPPED = Symbol('the statement must stop');

export const isPast = (deadline: Deadline | null): deadline is Deadline =>
  deadline !== null && deadline.until <= performance.now();

export const timedOut = (deadline: Deadline) =>
  serviceError('timeout', { seconds: deadline.seconds });

export const graceDeadline = (): Deadline => ({
  seconds: LIMITS.cancelGraceMs / 1000,
  until: performance.now() + LIMITS.cancelGraceMs,
});

/** Returns the moment at which nobody waits any longer for what is late; null: there is none. */
export const overdue = (deadline: Deadline | null): Deadline | null =>
  deadline && { seconds: deadline.seconds, until: deadline.until + LIMITS.overdueMs };

/** Node's timers cannot wait longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls `end` once the time limit has passed, and never before: Node's timers may fire a
 * millisecond early. If the event loop stood still, answers that have arrived meanwhile are read
 * first. Returns a function that prevents the call. null: there is no limit.
 */
export function onEndOf(deadline: Deadline | null, end: () => void): () => void {
  if (!deadline) return () => {};
  let timer: NodeJS.Timeout;
  let afterInput: NodeJS.Immediate | undefined;
  const wait = () => {
    const ms = Math.min(Math.max(0, deadline.until - performance.now()), LONGEST_TIMER_MS);
    timer = setTimeout(() => {
      if (!isPast(deadline)) wait();
      else if (performance.now() - deadline.until > LATE_MS) afterInput = setImmediate(end);
      else end();
    }, ms);
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(afterInput);
  };
}

/** Settles as `work` does, or fails if the time limit passes first. `work` itself continues. */
export async function within<T>(work: Promise<T>, deadline: Deadline | null): Promise<T> {
  if (!deadline) return work;
  let cleanUp = () => {};
  const late = new Promise<never>((_, reject) => {
    cleanUp = onEndOf(deadline, () => reject(timedOut(deadline)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cleanUp();
  }
}

/**
 * Returns a promise that resolves with STOPPED when the time limit passes or the caller goes away.
 */
export function stopSignal(signal: AbortSignal, deadline: Deadline | null) {
  let cleanUp = () => {};
  const stop = new Promise<typeof STOPPED>((resolve) => {
    const fire = () => resolve(STOPPED);
    const stopWaiting = onEndOf(deadline, fire);
    if (signal.aborted) fire();
    signal.addEventListener('abort', fire, { once: true });
    cleanUp = () => {
      stopWaiting();
      signal.removeEventListener('abort', fire);
    };
  });
  return { stop, cleanUp };
}
