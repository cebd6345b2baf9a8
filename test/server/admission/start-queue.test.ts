import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isTurnFree } from '../../../resolvers/loaders/session/event-loop-turns.ts';
import { StartQueue } from '../../../server/admission/start-queue.ts';

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Uses up this turn of the event loop, so that no request may begin at once. */
async function fillTurn(): Promise<void> {
  await turn();
  isTurnFree();
  spin(2);
}

/** Returns the outcomes of `count` simultaneous requests, in the order in which they occur. */
async function fatesOf(queue: StartQueue, count: number): Promise<string[]> {
  const fates: string[] = [];
  const waiting = Array.from({ length: count }, async (_, i) => {
    try {
      await queue.wait(() => new Error('refused'));
      fates.push(`${i} begins`);
    } catch (error) {
      fates.push(`${i} ${(error as Error).message}`);
    }
  });
  await Promise.all(waiting);
  return fates;
}

/** A queue with a clock that the test sets. */
function openQueue(waitMs: number) {
  const clock = { ms: 0 };
  return { clock, queue: new StartQueue(waitMs, () => clock.ms) };
}

describe('requests that wait to begin', () => {
  it('begin at once if the server is idle', async () => {
    const { queue } = openQueue(1_000);
    // The machine may stall for longer than a turn at any time, so check more than once.
    const beginsAtOnce = async () => {
      await turn();
      await turn();
      return queue.wait(() => new Error()) === undefined;
    };
    await expect.poll(beginsAtOnce).toBe(true);
  });

  it('begin in the order of their arrival', async () => {
    const { queue } = openQueue(1_000);
    await fillTurn();
    expect(await fatesOf(queue, 3)).toEqual(['0 begins', '1 begins', '2 begins']);
  });

  it('wait for a shorter time while the server refuses some, and no more are admitted', async () => {
    const { clock, queue } = openQueue(1_000);
    await fillTurn();
    const waiting = fatesOf(queue, 2);
    clock.ms += 30;
    expect(queue.isFull).toBe(false);
    queue.noteRefusal();
    expect(queue.isFull).toBe(true);
    expect(await waiting).toEqual(['0 begins', '1 begins']);
    expect(queue.isFull).toBe(false);
    await fillTurn();
    const late = fatesOf(queue, 2);
    clock.ms += 60;
    expect(await late).toEqual(['0 refused', '1 refused']);
  });

  it('are refused once they have waited too long, and leave nothing behind', async () => {
    const { clock, queue } = openQueue(20);
    await fillTurn();
    const fates = fatesOf(queue, 3);
    clock.ms += 30;
    expect(await fates).toEqual(['0 refused', '1 refused', '2 refused']);
    await turn();
    await fillTurn();
    expect(await fatesOf(queue, 2)).toEqual(['0 begins', '1 begins']);
  });
});
