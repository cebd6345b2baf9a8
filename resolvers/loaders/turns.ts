import { setImmediate } from 'node:timers/promises';

/** How long work may keep the event loop to itself. */
const TURN_MS = 2;

/** A pause to be awaited again and again within long work: it lets others go on when it is time. */
export function createPause(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
