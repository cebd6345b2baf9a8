import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';

/** A time limit of database work. `until` is on the clock of `performance.now()`. */
export type TimeBound = { readonly seconds: number; readonly until: number };

export const STOPPED = Symbol('the statement must stop');

export const isPast = (bound: TimeBound | null): bound is TimeBound =>
  bound !== null && bound.until <= performance.now();

export const timedOut = (bound: TimeBound) => serviceError('timeout', { seconds: bound.seconds });

export const graceBound = (): TimeBound => ({
  seconds: LIMITS.cancelGraceMs / 1000,
  until: performance.now() + LIMITS.cancelGraceMs,
});

/** Settles as `work` does, or fails if the time limit passes first. `work` itself continues. */
export async function withinBound<T>(work: Promise<T>, bound: TimeBound | null): Promise<T> {
  if (!bound) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(bound)), Math.max(0, bound.until - performance.now()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns a promise that resolves with STOPPED when the time limit passes or the caller goes away.
 */
export function stopSignal(signal: AbortSignal, bound: TimeBound | null) {
  let cleanUp = () => {};
  const stop = new Promise<typeof STOPPED>((resolve) => {
    const fire = () => resolve(STOPPED);
    const timer = bound && setTimeout(fire, Math.max(0, bound.until - performance.now()));
    if (signal.aborted) fire();
    signal.addEventListener('abort', fire, { once: true });
    cleanUp = () => {
      if (timer) clearTimeout(timer);
      signal.removeEventListener('abort', fire);
    };
  });
  return { stop, cleanUp };
}
