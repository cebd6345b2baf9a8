import { type OutputFailed, onOutputFailed } from './output/output-failed.ts';

/** A signal ended the command before its work was done. */
export class Interrupted extends Error {
  /**
   * Exit status that a shell shows for a program ended by a signal: 128 plus the signal's number.
   */
  readonly exitStatus: number;

  constructor(name: EndingSignal) {
    super(`interrupted by ${name}`);
    this.name = 'Interrupted';
    this.exitStatus = 128 + ENDING_SIGNALS[name];
  }
}

const ENDING_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

type EndingSignal = keyof typeof ENDING_SIGNALS;

/** Under npm, Ctrl-C arrives twice, from the terminal and passed on by npm: it counts once. */
const DUPLICATE_SIGNAL_MS = 1_000;

/**
 * Keeps signals from ending the process until `close` is called, or, once there was one, until the
 * process ends by itself, with its own status and its last lines written. The first signal aborts `signal`
 * and resolves `aborted`, and so does the failure of standard output. A later one rejects
 * `abandoned`: work should not be waited for any longer.
 */
export function listenForSignals() {
  const controller = new AbortController();
  let firstAt = 0;
  let rejectAbandoned: (reason: Interrupted) => void = () => undefined;
  let resolveAborted: () => void = () => undefined;
  const abandoned = new Promise<never>((_, reject) => {
    rejectAbandoned = reject;
  });
  const aborted = new Promise<void>((resolve) => {
    resolveAborted = resolve;
  });
  // Nothing awaits it while the database is opened; after that it is raced against the work.
  abandoned.catch(() => undefined);
  const abort = (reason: Interrupted | OutputFailed) => {
    controller.abort(reason);
    resolveAborted();
  };
  const listener = (name: EndingSignal) => {
    const interrupted = new Interrupted(name);
    if (firstAt === 0) {
      firstAt = performance.now();
      abort(interrupted);
    } else if (performance.now() - firstAt > DUPLICATE_SIGNAL_MS) {
      rejectAbandoned(interrupted);
    }
  };
  const names = Object.keys(ENDING_SIGNALS) as EndingSignal[];
  for (const name of names) process.on(name, listener);
  const stopListening = onOutputFailed(abort);
  const stopWatching = process.env['npm_lifecycle_event']
    ? onOrphaned(() => listener('SIGTERM'))
    : null;
  const close = () => {
    stopWatching?.();
    stopListening();
    if (firstAt > 0) return;
    for (const name of names) process.off(name, listener);
  };
  return { signal: controller.signal, aborted, abandoned, close };
}

const ORPHAN_CHECK_MS = 250;

/**
 * Calls `onGone` when the parent process is gone, which means that npm received a signal. npm starts
 * its scripts through a shell and passes a signal on to that shell only, which dies without passing
 * it to us.
 */
function onOrphaned(onGone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, ORPHAN_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
