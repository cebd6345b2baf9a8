import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileKeyPattern } from '../../../domain/filters/key-pattern.ts';
import type { BlockReadings } from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import type { KernelAnswer, KernelQuestion } from '../../../engine/kernel/rank-keys.ts';
import {
  type KernelTask,
  runKernelTask,
  slicesOf,
} from '../../../engine/kernel/threads/kernel-task.ts';
import { ThreadPool } from '../../../engine/kernel/threads/thread-pool.ts';
import type { KernelCaller } from '../../../engine/kernel/threads/worker-threads.ts';
import {
  addressesOf,
  callerWith,
  FOREVER,
  failureOf,
  keysOf,
  large,
  searchFor,
  small,
  TOP,
} from './pool-work.ts';

let threadPool: ThreadPool;

beforeEach(() => {
  threadPool = new ThreadPool({ workers: 1, queueLength: 2 });
});

afterEach(() => threadPool.close());

const aggregate = (
  units: readonly BlockReadings[],
  caller = FOREVER,
): Promise<readonly KernelAnswer[]> => threadPool.aggregate('sum', units, [TOP], caller);

/** A pattern that is not quick, and takes re2js a while for each key. */
const SLOW = '(?i)é|([a-y]{0,30}){20}z$';

describe('filters', () => {
  const SIMPLE = '7$';

  async function kindsOfWork(work: (threads: ThreadPool) => Promise<unknown>): Promise<string[]> {
    const kinds: string[] = [];
    const threads = new ThreadPool({
      workers: 1,
      queueLength: 2,
      onWork: (_, name) => {
        kinds.push(name);
        return () => undefined;
      },
    });
    try {
      await work(threads);
      return kinds;
    } finally {
      await threads.close();
    }
  }

  it('run at once or in a thread by the number of keys times that of instructions', async () => {
    const kinds = await kindsOfWork(async (threads) => {
      await threads.match(keysOf(200, 1), searchFor(SIMPLE), FOREVER);
      await threads.match(keysOf(2_000, 1), searchFor(SIMPLE), FOREVER);
      await threads.match(keysOf(200, 1), searchFor(`${SIMPLE}|${'[0-9]?'.repeat(30)}8`), FOREVER);
    });
    expect(kinds).toEqual([
      'compile',
      'match',
      'match in a thread',
      'compile',
      'match in a thread',
    ]);
  });

  it('with a pattern that takes long to compile run in a thread, however few the keys', async () => {
    const kinds = await kindsOfWork(async (threads) => {
      await threads.match(keysOf(1, 1), searchFor('\\pL'), FOREVER);
      await threads.match(keysOf(1, 1), searchFor('x'.repeat(9_000)), FOREVER);
    });
    expect(new Set(kinds)).toEqual(new Set(['compile in a thread', 'match in a thread']));
  });

  it('with long lists, and searches of many labels, run in a thread', async () => {
    const labels = new Map(Array.from({ length: 1_000 }, (_, i) => [`${i}`, 'label']));
    const search = { keyKind: 'text' as const, partKinds: null };
    const keys = Array.from(labels.keys());
    const kinds = await kindsOfWork(async (threads) => {
      await threads.match(keysOf(1, 1), { ...search, filter: { keys }, labels: null }, FOREVER);
      const own = { keys: labels, parts: [] };
      const filter = { search: 'label' };
      await threads.match(keysOf(1, 1), { ...search, filter, labels: own }, FOREVER);
    });
    expect(kinds).toEqual(['match in a thread', 'match in a thread']);
  });

  it('compile a pattern once to count its instructions, which are then remembered', async () => {
    const counts: number[] = [];
    const kinds = await kindsOfWork(async (threads) => {
      for (let i = 0; i < 3; i += 1) {
        counts.push(await threads.instructionsOf({ match: SLOW, exclude: 'a' }, FOREVER));
      }
    });
    expect(kinds).toEqual(['compile in a thread', 'compile']);
    expect(new Set(counts)).toEqual(new Set([counts[0]]));
    expect(counts[0]).toBeGreaterThan(600);
  });

  it('with a faulty pattern have the same error from a thread as from a direct compilation', async () => {
    const names = { match: 'key_filter', exclude: 'inverse_key_filter' };
    for (const pattern of ['a(b', `${'x'.repeat(5_000)}[b-a]`, 'x{1000}'.repeat(30)]) {
      const failure = await failureOf(
        threadPool.instructionsOf({ match: pattern }, FOREVER, names),
      );
      expect(() => compileKeyPattern(pattern, 'key_filter')).toThrow((failure as Error).message);
      expect(failure).toMatchObject({ kind: 'malformedValue' });
    }
  });
});

describe('work in slices', () => {
  const questions: KernelQuestion[] = [TOP, { kind: 'values', keys: [3] }];
  const tasks: KernelTask[] = [
    { kind: 'fold', aggregate: 'sum', blocks: large, questions },
    { kind: 'unite', lists: [keysOf(900, 2), keysOf(900, 3), keysOf(900, 5)] },
    { kind: 'match', keys: keysOf(9_000, 1), search: searchFor('(1|3){2}.*7$') },
    { kind: 'match', keys: keysOf(300, 1), search: searchFor(SLOW) },
    { kind: 'match', keys: keysOf(900, 1), search: searchFor('([13579]{0,9}[02468]){0,40}5$') },
    { kind: 'compile', pattern: `${'a'.repeat(900)}(` },
    { kind: 'networks', lists: [addressesOf(900)], lengths: { ipv4: 24, ipv6: 48 } },
    {
      kind: 'trend',
      aggregate: 'sum',
      steps: [[{ blocks: small, map: null }], [{ blocks: small, map: null }]],
      question: { maxItems: 3, within: null, passing: null },
    },
    { kind: 'steps', wanted: [{ aggregate: 'sum', steps: [small, small], keyCount: 100 }] },
  ];

  it('gives the same results as whole, in whatever order slices of several alternate', () => {
    const expected = tasks.map(runKernelTask);
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(tasks.length - 1)), (turns) => {
        const running = new Map(tasks.map((task, i) => [i, slicesOf(task)]));
        const results: unknown[] = [];
        for (const turn of turns) {
          const [index = 0] = [...running.keys()]
            .filter((i) => i >= turn)
            .concat(...running.keys());
          const step = running.get(index)?.next();
          if (step?.done === true) {
            results[index] = step.value;
            running.delete(index);
          }
          if (running.size === 0) break;
        }
        expect(results).toEqual(expected);
      }),
      { numRuns: 3 },
    );
  });

  it('gives the same results from a thread that turns to another job after each', async () => {
    await threadPool.close();
    threadPool = new ThreadPool({ workers: 1, queueLength: 20, sliceMs: 0, runsInline: false });
    const ben: KernelCaller = { ...FOREVER, user: 'ben' };
    const asked = [FOREVER, ben, FOREVER, ben].map((caller, i) =>
      threadPool.match(keysOf(600 + i, 1), searchFor('(1|3){2}.*7$'), caller),
    );
    for (const [i, found] of (await Promise.all(asked)).entries()) {
      const search = searchFor('(1|3){2}.*7$');
      expect(found).toEqual(runKernelTask({ kind: 'match', keys: keysOf(600 + i, 1), search }));
    }
  });
});

describe('a user whose work is small', () => {
  it('is served before the rest of the work that another has queued', async () => {
    await threadPool.close();
    threadPool = new ThreadPool({ workers: 1, queueLength: 20, sliceMs: 0 });
    const order: string[] = [];
    const slow = [1, 2, 3].map((n) =>
      threadPool
        .match(keysOf(4_000, n), searchFor(SLOW), FOREVER)
        .then(() => order.push(`anna ${n}`)),
    );
    // The pattern is compiled first.
    await vi.waitUntil(() => threadPool.waiting === 2, { timeout: 30_000, interval: 1 });
    const ben: KernelCaller = { ...FOREVER, user: 'ben' };
    await aggregate(large, ben).then(() => order.push('ben'));
    await Promise.all(slow);
    expect(order.at(-1)).not.toBe('ben');
  });

  it('is not refused because another user has filled the queue', async () => {
    const anna = [aggregate(large), aggregate(large), aggregate(large)];
    const refused = failureOf(anna[2] as Promise<unknown>);
    const ben = aggregate(large, { ...FOREVER, user: 'ben' });
    expect(await refused).toMatchObject({ kind: 'busy' });
    expect(await ben).toEqual(await anna[0]);
    expect(await anna[1]).toEqual(await anna[0]);
  });
});

describe('a slice that does not end', () => {
  it('makes other users wait only until one more thread has started, which ends later', async () => {
    await threadPool.close();
    threadPool = new ThreadPool({ workers: 1, queueLength: 20, sliceMs: 0 });
    const numbers = [threadPool.threads];
    const note = () => numbers.push(threadPool.threads);
    process.on('worker', note);
    // re2js takes some tenths of a second for this, in one step.
    const pattern = '(?i)[a-\\x{10ffff}]'.repeat(200);
    const anna = [0, 1].map(() => threadPool.instructionsOf({ match: pattern }, FOREVER));
    const ben = aggregate(large, { ...FOREVER, user: 'ben' });
    expect(await ben).toHaveLength(1);
    expect(new Set(await Promise.all(anna)).size).toBe(1);
    process.off('worker', note);
    await vi.waitUntil(() => threadPool.threads === 1, { interval: 1 });
    expect(Math.max(...numbers)).toBeLessThanOrEqual(2);
    expect(await aggregate(large)).toEqual(await ben);
  });
});

describe('work that is no longer wanted while it runs', () => {
  it('is rejected at once with the reason, and its thread goes on with other work', async () => {
    const caller = new AbortController();
    const endless = 'a'.repeat(5_000);
    const found = threadPool.match(keysOf(20_000, 1), searchFor(`${SLOW}|${endless}`), {
      ...FOREVER,
      signal: caller.signal,
    });
    const failure = failureOf(found);
    await vi.waitUntil(() => threadPool.busy === 1, { interval: 1 });
    const next = aggregate(large);
    caller.abort(new Error('the time is over'));
    expect(await failure).toMatchObject({ message: 'the time is over' });
    expect(await next).toHaveLength(1);
    await vi.waitUntil(() => threadPool.busy === 0, { interval: 1 });
    expect(threadPool.waiting).toBe(0);
  });

  it('is rejected while it waits, and leaves the queue at once', async () => {
    const caller = new AbortController();
    const first = aggregate(large);
    const second = failureOf(aggregate(large, callerWith(caller)));
    caller.abort(new Error('gone'));
    expect(threadPool.waiting).toBe(0);
    expect(await second).toMatchObject({ message: 'gone' });
    expect(await first).toHaveLength(1);
  });
});
