/** The command was told to end before its work was done. */
export class Interrupted extends Error {
  /** What a shell shows for a program that a signal ended: 128 and the signal's number. */
  readonly exitStatus: number;

  constructor(name: EndingSignal) {
    super(`interrupted by ${name}`);
    this.name = 'Interrupted';
    this.exitStatus = 128 + ENDING_SIGNALS[name];
  }
}

const ENDING_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

type EndingSignal = keyof typeof ENDING_SIGNALS;

/** Ctrl-C comes twice under npm, once from the terminal and once passed on: that is one wish. */
const ONE_WISH_MS = 1_000;

/**
 * From now until `close`, signals do not end the process. `signal` is aborted and `aborted` resolved
 * by the first; `impatience` is rejected by a later one: work should be left behind.
 */
export function listenForSignals() {
  const controller = new AbortController();
  let firstAt = 0;
  let giveUp: (reason: Interrupted) => void = () => undefined;
  let tell: () => void = () => undefined;
  const impatience = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const aborted = new Promise<void>((resolve) => {
    tell = resolve;
  });
  // Nobody waits for it while the database is opened; then it is raced against the work.
  impatience.catch(() => undefined);
  const listener = (name: EndingSignal) => {
    const interrupted = new Interrupted(name);
    if (!controller.signal.aborted) {
      firstAt = performance.now();
      controller.abort(interrupted);
      tell();
    } else if (performance.now() - firstAt > ONE_WISH_MS) {
      giveUp(interrupted);
    }
  };
  const names = Object.keys(ENDING_SIGNALS) as EndingSignal[];
  for (const name of names) process.on(name, listener);
  const stopWatching = process.env['npm_lifecycle_event']
    ? onOrphaned(() => listener('SIGTERM'))
    : null;
  const close = () => {
    stopWatching?.();
    for (const name of names) process.off(name, listener);
  };
  return { signal: controller.signal, aborted, impatience, close };
}

const ORPHAN_CHECK_MS = 250;

/**
 * npm starts its scripts through a shell and passes a signal on to that shell only, which dies of
 * it without a word to us: a parent that is gone is the signal.
 */
function onOrphaned(tell: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    tell();
  }, ORPHAN_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
