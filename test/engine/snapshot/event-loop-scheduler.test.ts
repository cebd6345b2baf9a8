import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  hasTimeLeft,
  noteAccepted,
  pause,
  queueStart,
  yieldToEventLoop,
} from '../../../engine/snapshot/event-loop-scheduler.ts';

/** Blocks the event loop, by default for longer than an iteration. */
function spin(ms = 3): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Runs twenty pieces of work at once. Returns their steps in total, and the most in one turn. */
async function stepsOf(work: (step: () => void) => Promise<void>) {
  let steps = 0;
  let isOver = false;
  const step = () => {
    steps += 1;
  };
  const all = Promise.all(Array.from({ length: 20 }, () => work(step))).then(() => {
    isOver = true;
  });
  let most = 0;
  for (let before = steps; !isOver; before = steps) {
    await iteration();
    most = Math.max(most, steps - before);
  }
  await all;
  return { steps, most };
}

const start = (): Promise<void> => new Promise((resolve) => queueStart(resolve));

describe('iterations of the event loop', () => {
  it('end between pieces of long work', async () => {
    const { steps, most } = await stepsOf(async (step) => {
      for (let i = 0; i < 5; i += 1) {
        spin();
        step();
        await pause();
      }
    });
    expect(steps).toBe(100);
    // All pieces begin in the same iteration; only afterwards does each wait for the others.
    expect(most).toBeLessThanOrEqual(2);
  });

  it.each([
    ['work that cannot pause', yieldToEventLoop],
    ['requests that begin', start],
  ])('end between pieces of %s', async (_, take) => {
    const { steps, most } = await stepsOf(async (step) => {
      await take();
      // The work of a request is spread over many promises.
      for (let i = 0; i < 5; i += 1) await Promise.resolve();
      spin();
      step();
    });
    expect(steps).toBe(20);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('run small pieces together, in order', async () => {
    const order: number[] = [];
    const pieces = Array.from({ length: 1000 }, async (_, i) => {
      await start();
      order.push(i);
    });
    let iterations = 0;
    while (order.length < pieces.length) {
      await iteration();
      iterations += 1;
    }
    expect(iterations).toBeLessThan(pieces.length / 10);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('go to work in progress before they go to work that begins', async () => {
    const order: string[] = [];
    spin();
    await Promise.all([
      start().then(() => order.push('begins')),
      yieldToEventLoop().then(() => order.push('goes on')),
    ]);
    expect(order).toEqual(['goes on', 'begins']);
  });

  it('are free until their time is used up or work waits for them', async () => {
    // The machine may stall for longer than an iteration at any time, so check more than once.
    const isFree = async () => {
      await iteration();
      await iteration();
      return pause() === undefined && pause() === undefined && hasTimeLeft();
    };
    await expect.poll(isFree).toBe(true);
    const waiting = start();
    expect(hasTimeLeft()).toBe(false);
    await waiting;
    await expect.poll(isFree).toBe(true);
    hasTimeLeft();
    spin();
    expect(hasTimeLeft()).toBe(false);
  });

  it('mostly accept connections as long as new ones arrive', async () => {
    const wentOn: number[] = [];
    const pieces = Array.from({ length: 6 }, async () => {
      await start();
      wentOn.push(performance.now());
      spin(0.1);
    });
    while (wentOn.length < pieces.length) {
      noteAccepted();
      await iteration();
    }
    const pauses = wentOn.slice(1).map((at, i) => at - (wentOn[i] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(2);
  });

  it('come for all work that waits', async () => {
    for (let round = 0; round < 50; round += 1) {
      let done = 0;
      const pieces = Array.from({ length: 1 + (round % 7) }, async (_, piece) => {
        for (let step = 0; step < 3; step += 1) {
          await (piece % 2 === 0 ? yieldToEventLoop() : start());
          spin(0.6);
        }
        done += 1;
      });
      await Promise.all(pieces);
      expect(done).toBe(pieces.length);
    }
  });
});
