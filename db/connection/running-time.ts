/** A stall of the event loop costs a time limit no more than this. */
const SLICE_MS = 250;

/** A timer that fires this much too late has seen a stall. */
export const LATE_MS = 50;

/**
 * Calls `end` once the event loop has run for `ms`. While it stands still, nobody notices what has
 * arrived, so this is no time in which a database has not answered. Timers that are due come first
 * after a stall: therefore the last slice is repeated if it was late, and what has arrived is read
 * before the call. Returns a function that prevents the call.
 */
export function afterRunning(ms: number, end: () => void): () => void {
  let leftMs = ms;
  let mayRepeat = true;
  let timer: NodeJS.Timeout;
  let afterInput: NodeJS.Immediate | undefined;
  const wait = () => {
    const sliceMs = Math.min(leftMs, SLICE_MS);
    const due = performance.now() + sliceMs;
    timer = setTimeout(() => {
      leftMs -= sliceMs;
      if (leftMs <= 0 && mayRepeat && performance.now() - due > LATE_MS) {
        mayRepeat = false;
        leftMs = SLICE_MS;
      }
      if (leftMs > 0) wait();
      else afterInput = setImmediate(end);
    }, sliceMs).unref();
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(afterInput);
  };
}

/** Settles as `work` does, or fails with `late` if the event loop has run for `ms` before. */
export async function withinRunning<T>(work: Promise<T>, ms: number, late: Error): Promise<T> {
  let cancel = () => {};
  const end = new Promise<never>((_, reject) => {
    cancel = afterRunning(ms, () => reject(late));
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    cancel();
  }
}
