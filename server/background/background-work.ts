/** Milliseconds to the first look, and from one to the next. */
export type Delays = { readonly firstMs: number; readonly everyMs: number };

export type BackgroundWork = {
  /** Looks now. */
  runOnce(): Promise<void>;
  /** Ends what goes on, and does nothing from then on. */
  stop(): Promise<void>;
};

/**
 * Looks again and again for something to do, one look after the other. `look` never fails; it is
 * told by the signal when the server ends. delays null: only when `runOnce` is called.
 */
export function workInBackground(
  look: (signal: AbortSignal) => Promise<void>,
  delays: Delays | null,
): BackgroundWork {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function runOnce(): Promise<void> {
    running = running.then(() => (signal.aborted ? undefined : look(signal)));
    return running;
  }

  function schedule(ms: number): void {
    timer = setTimeout(() => {
      void runOnce().then(() => {
        if (!signal.aborted && delays) schedule(delays.everyMs);
      });
    }, ms);
    // It alone keeps no process alive.
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
