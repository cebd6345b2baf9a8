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
  if (since === null) {
    since = performance.now();
    setImmediate(beginTurn);
  }
  if (waiting.length === 0 && performance.now() - since < TURN_MS) return undefined;
  return new Promise((resolve) => waiting.push(resolve));
}

function beginTurn(): void {
  const goOn = waiting.shift();
  since = goOn ? performance.now() : null;
  if (!goOn) return;
  setImmediate(beginTurn);
  goOn();
}
