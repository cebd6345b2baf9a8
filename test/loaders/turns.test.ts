import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { pause, takeTurn } from '../../resolvers/loaders/turns.ts';

/** Keeps the event loop for longer than any work may. */
function spin(): void {
  const until = performance.now() + 3;
  while (performance.now() < until);
}

it('long work lets the event loop turn, and all of it together takes the time of one', async () => {
  let [steps, isOver] = [0, false];
  const work = async () => {
    for (let i = 0; i < 5; i += 1) {
      spin();
      steps += 1;
      await pause();
    }
  };
  // What is begun in one turn is begun in it; only then each waits for the others.
  const all = Promise.all(Array.from({ length: 20 }, work)).then(() => {
    isOver = true;
  });
  const inTurns: number[] = [];
  for (let before = steps; !isOver; before = steps) {
    await turn();
    inTurns.push(steps - before);
  }
  await all;
  expect(steps).toBe(100);
  expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
});

it('work in one piece has a turn of its own', async () => {
  let [done, isOver] = [0, false];
  const work = async () => {
    await takeTurn();
    done += 1;
  };
  const all = Promise.all(Array.from({ length: 20 }, work)).then(() => {
    isOver = true;
  });
  const inTurns: number[] = [];
  for (let before = done; !isOver; before = done) {
    await turn();
    inTurns.push(done - before);
  }
  await all;
  expect(done).toBe(20);
  expect(Math.max(...inTurns)).toBeLessThanOrEqual(2);
});

it('short work does not wait', async () => {
  await turn();
  await turn();
  expect([1, 2, 3].map(() => pause())).toEqual([undefined, undefined, undefined]);
});
