import { describe, expect, it } from 'vitest';
import { type Made, ResponseCache } from '../../../engine/cache/response-cache.ts';

const made = (body: string, version = 1, textVersion = 1): Made => ({
  rendered: { status: 200, headers: {}, body },
  validAt: [{ contextId: 1, version, textVersion, layout: 1, history: 'one' }],
});

const at =
  (version = 1, textVersion = 1, history = 'one') =>
  (contextId: number) => ({ contextId, version, textVersion, layout: 2, history });

/** Makes `answer`, and returns whether other requests could have waited for it. */
async function beginAndAsk(memory: ResponseCache, answer: Made): Promise<boolean> {
  let finish: (made: Made) => void = () => {};
  const work = new Promise<Made>((resolve) => {
    finish = resolve;
  });
  const making = memory.make('question', () => work);
  const waits = memory.underway('question') !== null;
  finish(answer);
  await making;
  return waits;
}

describe('cached responses', () => {
  it('belong to one history, whatever the versions of another are', async () => {
    const memory = new ResponseCache(10_000);
    await memory.make('question', async () => made('old', 7));
    expect(memory.find('question', at(7, 1, 'another'))).toBeNull();
    const validAt = [{ contextId: 1, version: 2, textVersion: 1, layout: 1, history: 'another' }];
    await memory.make('question', async () => ({ ...made('new'), validAt }));
    expect(String(memory.find('question', at(2, 1, 'another'))?.body)).toBe('new');
  });

  it('are made once for all concurrent requests, and kept by version', async () => {
    const memory = new ResponseCache(10_000);
    expect(await beginAndAsk(memory, made('first'))).toBe(true);
    expect(await beginAndAsk(memory, made('second', 2))).toBe(true);
    expect(memory.find('question', at(2))?.body).toEqual(Buffer.from('second'));
    expect(memory.find('question', at(1))).toBeNull();
  });

  const unkept: readonly [string, Made][] = [
    ['are valid only for a moment', { ...made('now'), validAt: null }],
    ['are too large to be kept', made('x'.repeat(20_000))],
  ];
  it.each(unkept)('let no request wait once it is known that they %s', async (_, answer) => {
    const memory = new ResponseCache(10_000);
    expect(await beginAndAsk(memory, answer)).toBe(true);
    expect(await beginAndAsk(memory, answer)).toBe(false);
    expect(memory.find('question', at())).toBeNull();
    // Once a response could be kept, other requests may wait again.
    await memory.make('question', () => Promise.resolve(made('small')));
    expect(await beginAndAsk(memory, made('small'))).toBe(true);
  });

  it('stay within their limit of bytes, and the most recently used are kept', async () => {
    const memory = new ResponseCache(20_000);
    for (let i = 0; i < 100; i += 1) {
      await memory.make(`question ${i}`, () => Promise.resolve(made('x'.repeat(1000))));
      memory.find('question 0', at());
      expect(memory.bytes).toBeLessThanOrEqual(20_000);
    }
    const kept = (i: number) => memory.find(`question ${i}`, at()) !== null;
    expect([0, 1, 50, 99].map(kept)).toEqual([true, false, false, true]);
  });

  it.each([made('old', 1, 2), made('old', 2, 1)])('are not replaced by older ones', async (old) => {
    const memory = new ResponseCache(10_000);
    await memory.make('question', () => Promise.resolve(made('new', 2, 2)));
    await memory.make('question', () => Promise.resolve(old));
    expect(memory.find('question', at(2, 2))?.body).toEqual(Buffer.from('new'));
  });
});
