import { setImmediate } from 'node:timers';
import type { Sliced } from '../../domain/sliced.ts';

/**
 * Approximate milliseconds of work in one iteration of the event loop. After it, the loop handles
 * what has arrived: requests, connections, replies of the database.
 */
const ITERATION_MS = 1;

/**
 * Milliseconds between pieces of work while new connections arrive. An iteration accepts one
 * connection (libuv since 1.45), so iterations then only accept, except for one piece of work per
 * period. Otherwise many new clients would wait for seconds, even those that are then refused.
 */
const ACCEPTING_MS = 2;

/**
 * Work in progress that has yielded. It goes first, or it would wait again at every step. But if a
 * piece of it took the time of a whole iteration, a request may start in the next one: a large
 * answer consists of nothing but such pieces.
 */
const begun: (() => void)[] = [];

/** Whether a request may start before work in progress goes on. */
let isStartNext = false;

/** Requests that wait to begin; each call begins one. */
const starts: (() => void)[] = [];

/** When work first ran in this iteration of the loop; null: none has run. */
let since: number | null = null;

/** Whether a connection was accepted since the last iteration with work. */
let hasAccepted = false;

/** When the last piece of work ended. */
let workedAt = Number.NEGATIVE_INFINITY;

/**
 * Yields if this iteration's time is over. Await it repeatedly during long work. undefined: the
 * work may continue at once.
 */
export function pause(): Promise<void> | undefined {
  return hasTimeLeft() ? undefined : yieldToEventLoop();
}

/** Waits for an iteration that has time for long work that cannot pause. */
export function yieldToEventLoop(): Promise<void> {
  noteWork();
  return new Promise((resolve) => begun.push(resolve));
}

/** Whether this iteration of the loop still has time, and no earlier work waits for it. */
export function hasTimeLeft(): boolean {
  const startedAt = noteWork();
  return begun.length + starts.length === 0 && performance.now() - startedAt < ITERATION_MS;
}

/** Calls `begin` in a later iteration, after all work in progress. */
export function queueStart(begin: () => void): void {
  noteWork();
  starts.push(begin);
}

/** Notes that a connection was accepted. */
export function noteAccepted(): void {
  hasAccepted = true;
}

/** Starts the clock of this iteration, if this is its first work. Returns when it began. */
function noteWork(): number {
  if (since === null) {
    since = performance.now();
    setImmediate(beginIteration);
  }
  return since;
}

function beginIteration(): void {
  since = null;
  if (begun.length + starts.length === 0) return;
  const startedAt = noteWork();
  const isAccepting = hasAccepted;
  hasAccepted = false;
  if (!isAccepting) runUntil(startedAt + ITERATION_MS);
  else if (startedAt - workedAt >= ACCEPTING_MS) runUntil(startedAt);
}

/** Runs one piece of work, and then the next as long as there is time. */
function runUntil(until: number): void {
  const isStart = starts.length > 0 && (isStartNext || begun.length === 0);
  const next = isStart ? starts.shift() : begun.shift();
  if (!next) return;
  isStartNext = false;
  next();
  // By then, everything that it triggered immediately has run.
  queueMicrotask(() =>
    process.nextTick(() => {
      workedAt = performance.now();
      if (workedAt < until) runUntil(until);
      else isStartNext = !isStart;
    }),
  );
}

/** Runs work that may be interrupted; wherever it yields, other requests may continue. */
export async function inPauses<T>(
  reader: { pause(): Promise<void> | undefined },
  work: Sliced<T>,
): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await reader.pause();
  }
}
