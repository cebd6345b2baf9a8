import { expect, it } from 'vitest';
import { Permits } from '../../../server/subscriptions/deps.ts';

const NEVER = new AbortController().signal;

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
  await Promise.all(Array.from({ length: 100 }, () => permits.run(compute, NEVER)));
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

it('a subscription that nobody follows any longer does not wait for a permit', async () => {
  let isOverloaded = true;
  const permit = { leave: () => undefined };
  const admission = { enter: () => (isOverloaded ? 'busy' : permit) as never };
  const permits = new Permits(admission, 2);
  const leaving = new AbortController();
  const computed: string[] = [];
  const left = permits.run(async () => computed.push('left'), leaving.signal);
  const others = permits.run(async () => computed.push('others'), NEVER);
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  isOverloaded = false;
  await others;
  expect(computed).toEqual(['others']);
});
