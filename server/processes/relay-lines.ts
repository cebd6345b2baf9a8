import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

const NEWLINE = '\n'.charCodeAt(0);

/**
 * Writes the output of a process to ours until it ends. Only whole lines are written, so lines of
 * several processes are never mixed. While the reader of our output is behind, the process must
 * keep its lines; once the process has ended (`ended` resolves), what it left is written at once.
 */
export async function relayLines(
  from: Readable,
  to: Writable,
  ended: Promise<void>,
): Promise<void> {
  let begun: Buffer[] = [];
  let hasEnded = false;
  let goOn: () => void = () => undefined;
  // Once for all waits: what waits for `ended` is kept in memory as long as the process lives.
  void ended.then(() => {
    hasEnded = true;
    goOn();
  });
  for await (const chunk of from) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      begun.push(chunk);
      continue;
    }
    const lines = Buffer.concat([...begun, chunk.subarray(0, end)]);
    begun = end < chunk.length ? [chunk.subarray(end)] : [];
    if (to.write(lines) || !to.writable || hasEnded) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
      void drained(to).then(resolve);
    });
  }
  if (begun.length > 0) to.write(Buffer.concat([...begun, Buffer.of(NEWLINE)]));
}

const drains = new WeakMap<Writable, Promise<void>>();

/** Resolves when more can be written, or nobody reads any longer. */
function drained(to: Writable): Promise<void> {
  const waiting = drains.get(to) ?? drainOf(to).finally(() => drains.delete(to));
  drains.set(to, waiting);
  return waiting;
}

async function drainOf(to: Writable): Promise<void> {
  try {
    await once(to, 'drain');
  } catch {
    // Nobody reads our output. There is nowhere to report that; the process must not wait.
  }
}
