import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pace } from '../../../server/subscriptions/pace.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const NO_DEFECT = (error: unknown) => expect.fail(String(error));

describe('a question that cannot be answered', () => {
  it('is asked again after pauses that grow, even if no snapshot was taken', async () => {
    const start = performance.now();
    const seconds: number[] = [];
    const pace = new Pace(
      1000,
      () => {
        seconds.push(Math.round((performance.now() - start) / 1000));
        return Promise.resolve(false);
      },
      NO_DEFECT,
    );
    pace.now();
    await vi.advanceTimersByTimeAsync(20_000);
    pace.end();
    expect(seconds).toEqual([0, 1, 3, 7, 15]);
  });

  it('is asked again only after a pause, however long the attempt took', async () => {
    let asked = 0;
    const pace = new Pace(
      1000,
      async () => {
        asked += 1;
        pace.begins();
        await new Promise((resolve) => setTimeout(resolve, 5000));
        return false;
      },
      NO_DEFECT,
    );
    pace.now();
    await vi.advanceTimersByTimeAsync(5_500);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toBe(2);
    pace.end();
  });

  it('is asked again even if the attempt ended with a defect, which is reported', async () => {
    const defects: unknown[] = [];
    let asked = 0;
    const ask = async () => {
      asked += 1;
      if (asked === 1) throw new Error('a defect');
      pace.begins();
      return true;
    };
    const pace = new Pace(1000, ask, (error) => defects.push(error));
    pace.now();
    await vi.advanceTimersByTimeAsync(5_000);
    pace.end();
    expect(asked).toBe(2);
    expect(defects).toMatchObject([{ message: 'a defect' }]);
  });
});
