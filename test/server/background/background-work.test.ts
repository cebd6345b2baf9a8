import { expect, it, vi } from 'vitest';
import { workInBackground } from '../../../server/background/background-work.ts';

it('goes on after a pass that failed, and logs the failure', async () => {
  const failure = new Error('broken');
  const logged: unknown[] = [];
  let passes = 0;
  const check = async (): Promise<void> => {
    passes += 1;
    if (passes < 3) throw failure;
  };
  const log = { error: (told: unknown) => void logged.push(told) };
  const work = workInBackground(check, { firstMs: 0, everyMs: 0 }, log);
  await vi.waitUntil(() => passes >= 3);
  await work.runOnce();
  await work.stop();
  expect(passes).toBeGreaterThan(3);
  expect(logged).toEqual([{ err: failure }, { err: failure }]);
});
