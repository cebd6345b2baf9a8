import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { pause, takeTurn } from '../../../resolvers/loaders/session/turns.ts';

/** Keeps the event loop for longer than any work may. */
function spin(): void {
  const until = performance.now() + 3;
  while (performance.now() < until);
}

/** How many steps twenty pieces of work take, all begun at once, and the most in one turn. */
async function stepsOf(work: (step: () => void) => Promise<void>) {
  let [steps, isOver] = [0, false];
  const step = () => {
    steps += 1;
  };
  const all = Promise.all(Array.from({ length: 20 }, () => work(step))).then(() => {
    isOver = true;
  });
  let most = 0;
  for (let before = steps; !isOver; before = steps) {
    await turn();
    most = Math.max(most, steps - before);
  }
  await all;
  return { steps, most };
}

it('long work lets the event loop turn, and all of it together takes the time of one', async () => {
  const { steps, most } = await stepsOf(async (step) => {
    for (let i = 0; i < 5; i += 1) {
      spin();
      step();
      await pause();
    }
  });
  expect(steps).toBe(100);
  // What is begun in one turn is begun in it; only then each waits for the others.
  expect(most).toBeLessThanOrEqual(2);
});

it('work in one piece has a turn of its own', async () => {
  const { steps, most } = await stepsOf(async (step) => {
    await takeTurn();
    step();
  });
  expect(steps).toBe(20);
  expect(most).toBeLessThanOrEqual(2);
});

it('short work does not wait', async () => {
  await turn();
  await turn();
  expect([1, 2, 3].map(() => pause())).toEqual([undefined, undefined, undefined]);
});
