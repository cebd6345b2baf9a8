import { expect, it } from 'vitest';
import { Permits } from '../../server/live/permits.ts';

/** Returns how many of a hundred answers are computed at once. */
async function countAtOnce(connections: number): Promise<number> {
  const admission = { enter: () => ({ leave: () => undefined }) as never };
  const permits = new Permits(admission, connections);
  let running = 0;
  let most = 0;
  const compute = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all(Array.from({ length: 100 }, () => permits.run(compute)));
  return most;
}

it.each([
  [10, 4],
  [5, 2],
  [4, 1],
  [3, 1],
  [2, 1],
])(
  'of %i connections, subscriptions use %i at once: requests need the others',
  async (all, taken) => {
    expect(await countAtOnce(all)).toBe(taken);
  },
);
