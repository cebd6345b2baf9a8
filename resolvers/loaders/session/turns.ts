import { setImmediate } from 'node:timers';

/** How long all long work together may keep the event loop to itself. */
const TURN_MS = 2;

/** Since when there has been long work in this turn of the loop; null: there was none yet. */
let since: number | null = null;

/** Work that waits for a turn; each turn takes one of them further. */
const waiting: (() => void)[] = [];

/**
 * To be awaited again and again within long work: lets others go on when it is time. What is at
 * work at once shares the time, or a hundred pieces of it would take a hundred times as much.
 */
export function pause(): Promise<void> | undefined {
  const began = beganAt();
  return waiting.length === 0 && performance.now() - began < TURN_MS ? undefined : takeTurn();
}

/** Before a piece of long work that is in one piece: it has a turn of the event loop of its own. */
export function takeTurn(): Promise<void> {
  beganAt();
  return new Promise((resolve) => waiting.push(resolve));
}

function beganAt(): number {
  if (since !== null) return since;
  since = performance.now();
  setImmediate(beginTurn);
  return since;
}

function beginTurn(): void {
  const goOn = waiting.shift();
  since = goOn ? performance.now() : null;
  if (!goOn) return;
  setImmediate(beginTurn);
  goOn();
}
