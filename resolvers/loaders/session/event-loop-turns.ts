import { setImmediate } from 'node:timers';

/**
 * The event loop is shared by turns: in each turn, work goes on for about so many milliseconds,
 * and then the loop looks for what has arrived: requests, connections, replies of the database.
 */
const TURN_MS = 1;

/**
 * A turn accepts one connection (libuv since 1.45). As long as there are new ones, turns are for
 * accepting only, but for one piece of work every so many milliseconds: otherwise many new callers
 * would wait for seconds, also those who are to be refused.
 */
const ACCEPTING_MS = 2;

/** What has begun and waits for a turn goes first: otherwise it would wait again at every step. */
const begun: (() => void)[] = [];

/** Requests that wait to be begun: each call begins one of them. */
const starts: (() => void)[] = [];

/** When work was first done in this turn of the loop; null: none was. */
let since: number | null = null;

/** Whether a connection was accepted since the last turn in which there was work. */
let hasAccepted = false;

/** When a piece of work was last over. */
let workedAt = Number.NEGATIVE_INFINITY;

/**
 * To be awaited again and again within long work: lets others go on when it is time. undefined: it
 * is not, and the work may go on at once.
 */
export function pause(): Promise<void> | undefined {
  return isTurnFree() ? undefined : takeTurn();
}

/** Before long work that cannot pause: begins it in a turn that has time for it. */
export function takeTurn(): Promise<void> {
  noteWork();
  return new Promise((resolve) => begun.push(resolve));
}

/** Whether this turn of the loop still has time, and nothing that came earlier waits for it. */
export function isTurnFree(): boolean {
  const startedAt = noteWork();
  return begun.length + starts.length === 0 && performance.now() - startedAt < TURN_MS;
}

/** Calls `begin` in a later turn, after everything that has begun. */
export function queueStart(begin: () => void): void {
  noteWork();
  starts.push(begin);
}

/** A connection was accepted. */
export function noteAccepted(): void {
  hasAccepted = true;
}

/** The first work in a turn of the loop starts its clock; the next turn starts a new one. */
function noteWork(): number {
  if (since === null) {
    since = performance.now();
    setImmediate(beginTurn);
  }
  return since;
}

function beginTurn(): void {
  since = null;
  if (begun.length + starts.length === 0) return;
  const startedAt = noteWork();
  const isAccepting = hasAccepted;
  hasAccepted = false;
  if (!isAccepting) goOn(startedAt + TURN_MS);
  else if (startedAt - workedAt >= ACCEPTING_MS) goOn(startedAt);
}

/** One piece of work, and the next one as long as there is time. */
function goOn(until: number): void {
  const next = begun.shift() ?? starts.shift();
  if (!next) return;
  next();
  // By then everything is done that it set off at once.
  queueMicrotask(() =>
    process.nextTick(() => {
      workedAt = performance.now();
      if (workedAt < until) goOn(until);
    }),
  );
}
