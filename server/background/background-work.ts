import type { Logger } from '../telemetry/log.ts';

/** Milliseconds until the first pass, and from the end of one pass to the next. */
export type Delays = { readonly firstMs: number; readonly everyMs: number };

export type BackgroundWork = {
  /** Runs a pass now, after any pass in progress. */
  runOnce(): Promise<void>;
  /** Aborts a pass in progress and waits for it to end; no further pass runs. */
  stop(): Promise<void>;
};

/**
 * Runs `check` repeatedly, one pass after the other, whether or not the pass before succeeded. Its
 * signal is aborted when the server shuts down. delays null: it runs only when `runOnce` is called.
 */
export function workInBackground(
  check: (signal: AbortSignal) => Promise<void>,
  delays: Delays | null,
  log: Pick<Logger, 'error'>,
): BackgroundWork {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function runOnce(): Promise<void> {
    running = running
      .then(() => (signal.aborted ? undefined : check(signal)))
      .catch((err) => log.error({ err }, 'background work failed, which is retried'));
    return running;
  }

  function schedule(ms: number): void {
    timer = setTimeout(() => {
      void runOnce().then(() => {
        if (!signal.aborted && delays) schedule(delays.everyMs);
      });
    }, ms);
    // The timer alone does not keep the process alive.
    timer.unref();
  }

  if (delays) schedule(delays.firstMs);
  return {
    runOnce,
    async stop() {
      clearTimeout(timer);
      stopping.abort(new Error('the server ends'));
      await running;
    },
  };
}
