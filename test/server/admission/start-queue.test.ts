import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { hasTimeLeft } from '../../../engine/snapshot/event-loop-scheduler.ts';
import { StartQueue } from '../../../server/admission/start-queue.ts';

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Uses up this iteration of the event loop, so that no request may begin at once. */
async function fillIteration(): Promise<void> {
  await iteration();
  hasTimeLeft();
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
    // The machine may stall for longer than an iteration at any time, so check more than once.
    const beginsAtOnce = async () => {
      await iteration();
      await iteration();
      return queue.wait(() => new Error()) === undefined;
    };
    await expect.poll(beginsAtOnce).toBe(true);
  });

  it('begin in the order of their arrival', async () => {
    const { queue } = openQueue(1_000);
    await fillIteration();
    expect(await fatesOf(queue, 3)).toEqual(['0 begins', '1 begins', '2 begins']);
  });

  it('wait for a shorter time while the server refuses some, and no more are admitted', async () => {
    const { clock, queue } = openQueue(1_000);
    await fillIteration();
    const waiting = fatesOf(queue, 2);
    clock.ms += 30;
    expect(queue.isFull).toBe(false);
    queue.noteRefusal();
    expect(queue.isFull).toBe(true);
    expect(await waiting).toEqual(['0 begins', '1 begins']);
    expect(queue.isFull).toBe(false);
    await fillIteration();
    const late = fatesOf(queue, 2);
    clock.ms += 60;
    expect(await late).toEqual(['0 refused', '1 refused']);
  });

  it('are refused once they have waited too long, and leave nothing behind', async () => {
    const { clock, queue } = openQueue(20);
    await fillIteration();
    const fates = fatesOf(queue, 3);
    clock.ms += 30;
    expect(await fates).toEqual(['0 refused', '1 refused', '2 refused']);
    await iteration();
    await fillIteration();
    expect(await fatesOf(queue, 2)).toEqual(['0 begins', '1 begins']);
  });
});
