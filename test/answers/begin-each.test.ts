import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginEach } from '../../resolvers/begin-each.ts';

const ITEMS = Array.from({ length: 250 }, (_, i) => i);

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});

afterEach(async () => {
  await settled();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

describe('work that is begun for each of many items', () => {
  it('has its results in the order of the items, whichever is done first', async () => {
    const late: (() => void)[] = [];
    const results = beginEach(
      ITEMS,
      (item) => new Promise<number>((resolve) => late.push(() => resolve(2 * item))),
      settled,
    );
    await expect.poll(() => late.length).toBe(ITEMS.length);
    for (const end of late.reverse()) end();
    expect(await results).toEqual(ITEMS.map((item) => 2 * item));
  });

  it('is begun in one go if there are few items', async () => {
    let begun = 0;
    const work = async () => {
      begun += 1;
    };
    const all = beginEach(ITEMS.slice(0, 100), work, () => {
      throw new Error('a pause is not needed');
    });
    expect(begun).toBe(100);
    await all;
    expect(await beginEach([], work, () => undefined)).toEqual([]);
  });

  it('gives way after each hundred items', async () => {
    let begun = 0;
    const pausedAt: number[] = [];
    await beginEach(
      ITEMS,
      async () => {
        begun += 1;
      },
      () => {
        pausedAt.push(begun);
        return undefined;
      },
    );
    expect(pausedAt).toEqual([100, 200]);
  });

  it('fails with the error of an early item, while later ones are begun', async () => {
    let begun = 0;
    const results = beginEach(
      ITEMS,
      async (item) => {
        begun += 1;
        if (item === 3 || item === 103) throw new Error(`${item} failed`);
      },
      settled,
    );
    await expect(results).rejects.toThrow('3 failed');
    expect(begun).toBe(ITEMS.length);
  });

  it('begins no more items once a pause fails, and leaves no error unhandled', async () => {
    let begun = 0;
    const results = beginEach(
      ITEMS,
      async () => {
        begun += 1;
        await settled();
        throw new Error('an item failed');
      },
      async () => {
        await settled();
        throw new Error('the time is over');
      },
    );
    await expect(results).rejects.toThrow('the time is over');
    await settled();
    expect(begun).toBe(100);
  });

  it('leaves no error unhandled if an item cannot even be begun', async () => {
    const results = beginEach(
      ITEMS,
      (item) => {
        if (item === 2) throw new Error('not begun');
        return Promise.reject(new Error('failed'));
      },
      settled,
    );
    await expect(results).rejects.toThrow('not begun');
  });
});
