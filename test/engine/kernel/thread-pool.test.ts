import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../domain/errors.ts';
import type { BlockReadings } from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import type { KernelAnswer, KernelQuestion } from '../../../engine/kernel/rank-keys.ts';
import { runKernelTask } from '../../../engine/kernel/threads/kernel-task.ts';
import { ThreadPool } from '../../../engine/kernel/threads/thread-pool.ts';
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
  unit,
} from './pool-work.ts';
import { keySetOf } from './reference-answers.ts';

let threadPool: ThreadPool;

beforeEach(() => {
  threadPool = new ThreadPool({ workers: 1, queueLength: 2 });
});

afterEach(() => threadPool.close());

const aggregate = (
  units: readonly BlockReadings[],
  caller = FOREVER,
): Promise<readonly KernelAnswer[]> => threadPool.aggregate('sum', units, [TOP], caller);

describe('work of the thread pool', () => {
  it('gives the same result in a thread as inline', async () => {
    const questions: KernelQuestion[] = [
      { ...TOP, passing: keySetOf([7], 10) },
      { kind: 'values', keys: [3, 99_999_999] },
      { kind: 'ranks', within: null, passing: null, keys: [1] },
    ];
    for (const units of [small, large]) {
      const answers = await threadPool.aggregate('sum', units, questions, FOREVER);
      expect(answers).toEqual(
        runKernelTask({ kind: 'fold', aggregate: 'sum', blocks: units, questions }),
      );
    }
    for (const count of [10, 30_000]) {
      const lists = [keysOf(count, 2), keysOf(count, 3)];
      const united = await threadPool.unite(lists, FOREVER);
      expect(united).toEqual(runKernelTask({ kind: 'unite', lists }));
      expect(united.keys.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
      const search = searchFor('7$');
      const found = await threadPool.match(united.keys, search, FOREVER);
      expect(found).toEqual(runKernelTask({ kind: 'match', keys: united.keys, search }));
    }
  });

  it('makes the same networks of addresses in a thread as inline', async () => {
    const lengths = { ipv4: 24, ipv6: 48 };
    for (const count of [10, 80_000]) {
      const keys = addressesOf(count);
      const formed = await threadPool.formNetworks([keys], lengths, FOREVER);
      expect(formed).toEqual(runKernelTask({ kind: 'networks', lists: [keys], lengths }));
      const [networks] = formed;
      expect(networks?.keys.count).toBe(Math.ceil(count / 128));
      expect(networks?.map.buffer).toBeInstanceOf(SharedArrayBuffer);
      const block = unit(count);
      const lists = [{ map: networks?.map as Uint32Array, blocks: [block] }];
      const grouped = await threadPool.groupBlocks('sum', lists, FOREVER);
      expect(grouped).toEqual(runKernelTask({ kind: 'group', aggregate: 'sum', lists }));
      expect(grouped[0]?.[0]?.ids.buffer).toBeInstanceOf(SharedArrayBuffer);
      const question = {
        aggregate: 'sum' as const,
        networks: [{ bytes: [10, 0, 0, 0], prefix: 24 }],
        stepCount: 2,
        lists: [{ keys, blocks: [{ ...block, step: 1 }] }],
      };
      const steps = await threadPool.aggregateSteps(question, FOREVER);
      expect(steps).toEqual(runKernelTask({ kind: 'stepSums', question }));
      expect(steps[0]?.steps).toEqual(Uint32Array.of(1));
    }
  });

  it('needs a thread only if it is large', async () => {
    const answers = aggregate(small);
    expect(threadPool.busy).toBe(0);
    await answers;
    const larger = aggregate(large);
    expect(threadPool.busy).toBe(1);
    await larger;
    expect(threadPool.busy).toBe(0);
  });

  it('always runs in a thread if inline work is off', async () => {
    const always = new ThreadPool({ workers: 1, queueLength: 2, runsInline: false });
    try {
      const answers = always.aggregate('sum', small, [TOP], FOREVER);
      expect(always.busy).toBe(1);
      expect(await answers).toEqual(await aggregate(small));
    } finally {
      await always.close();
    }
  });

  it('of one user is done in the order of its arrival if each takes one slice', async () => {
    await threadPool.close();
    threadPool = new ThreadPool({ workers: 1, queueLength: 2, sliceMs: 60_000 });
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((n) => aggregate(large).then(() => order.push(n))));
    expect(order).toEqual([1, 2, 3]);
  });

  it('that fails does not end its thread, which does the next work', async () => {
    const made: Worker[] = [];
    const note = (worker: Worker) => made.push(worker);
    process.on('worker', note);
    const reason = await failureOf(threadPool.match(keysOf(40_000, 1), searchFor('('), FOREVER));
    expect(String(reason)).toContain('match');
    expect(await aggregate(large)).toHaveLength(1);
    process.off('worker', note);
    expect(made).toHaveLength(1);
  });

  it('that is small fails inline', async () => {
    const reason = await failureOf(threadPool.match(keysOf(3, 1), searchFor('('), FOREVER));
    expect(String(reason)).toContain('match');
  });
});

describe('a thread that is started before there is work', () => {
  it('is started only once, is idle, and does the first work that arrives', async () => {
    const made: Worker[] = [];
    const note = (worker: Worker) => made.push(worker);
    process.on('worker', note);
    expect(threadPool.threads).toBe(0);
    threadPool.startThread();
    threadPool.startThread();
    expect([threadPool.threads, threadPool.busy, threadPool.waiting]).toEqual([1, 0, 0]);
    expect(await aggregate(large)).toHaveLength(1);
    process.off('worker', note);
    expect([made.length, threadPool.threads, threadPool.busy]).toEqual([1, 1, 0]);
  });

  it('ends when the pool is closed, after which none is started', async () => {
    threadPool.startThread();
    await threadPool.close();
    expect(threadPool.threads).toBe(0);
    threadPool.startThread();
    expect(threadPool.threads).toBe(0);
  });
});

describe('an overloaded thread pool', () => {
  it('queues work up to its limit, and refuses the rest as busy', async () => {
    const taken = [aggregate(large), aggregate(large), aggregate(large)];
    expect([threadPool.busy, threadPool.waiting]).toEqual([1, 2]);
    const refused = await failureOf(aggregate(large));
    expect(refused).toBeInstanceOf(ServiceError);
    expect(refused).toMatchObject({ kind: 'busy' });
    const finding = await failureOf(threadPool.match(keysOf(40_000, 1), searchFor('7'), FOREVER));
    expect(finding).toMatchObject({ kind: 'busy' });
    // Small work does not wait.
    expect(await aggregate(small)).toHaveLength(1);
    const [first, ...others] = await Promise.all(taken);
    expect(others).toEqual([first, first]);
    expect([threadPool.busy, threadPool.waiting]).toEqual([0, 0]);
    expect(await aggregate(large)).toEqual(first);
  });

  it('refuses all work that would have to wait if the queue length is 0', async () => {
    await threadPool.close();
    threadPool = new ThreadPool({ workers: 2, queueLength: 0 });
    const taken = [aggregate(large), aggregate(large)];
    expect(threadPool.busy).toBe(2);
    expect(await failureOf(aggregate(large))).toMatchObject({ kind: 'busy' });
    expect(await Promise.all(taken)).toHaveLength(2);
  });
});

describe('work whose caller has gone', () => {
  it('is not begun', async () => {
    const gone = { ...FOREVER, signal: AbortSignal.abort(new Error('gone')) };
    expect(await failureOf(aggregate(small, gone))).toMatchObject({ message: 'gone' });
    expect(await failureOf(aggregate(large, gone))).toMatchObject({ message: 'gone' });
    expect(threadPool.busy).toBe(0);
  });

  it('makes room for the next in the queue', async () => {
    const caller = new AbortController();
    const first = aggregate(large);
    const second = aggregate(large, callerWith(caller));
    const third = aggregate(large);
    const failure = failureOf(second);
    caller.abort(new Error('gone'));
    expect(await failure).toMatchObject({ message: 'gone' });
    expect(await third).toEqual(await first);
  });

  it('leaves the queue for other work, which is not refused', async () => {
    const caller = new AbortController();
    const first = aggregate(large);
    const gone = [aggregate(large, callerWith(caller)), aggregate(large, callerWith(caller))].map(
      failureOf,
    );
    expect(threadPool.waiting).toBe(2);
    caller.abort(new Error('gone'));
    const others = [aggregate(large), aggregate(large)];
    expect(await Promise.all(gone)).toMatchObject([{ message: 'gone' }, { message: 'gone' }]);
    const answer = await first;
    expect(await Promise.all(others)).toEqual([answer, answer]);
  });
});

describe('a thread that dies', () => {
  /** Returns the next thread that is created, which then gets work. */
  async function nextThread(): Promise<Worker> {
    const [worker] = (await once(process, 'worker')) as [Worker];
    return worker;
  }

  it('fails its work, and another thread does the work that waits', async () => {
    const made = nextThread();
    const lost = aggregate(large);
    const waiting = aggregate(large);
    const failure = failureOf(lost);
    await (await made).terminate();
    expect(await failure).toMatchObject({ message: 'a kernel thread ended' });
    const answers = await waiting;
    expect(answers).toEqual(await aggregate(large));
    expect(answers).toEqual(
      runKernelTask({ kind: 'fold', aggregate: 'sum', blocks: large, questions: [TOP] }),
    );
  });

  it('while it is idle is replaced when there is work', async () => {
    const made = nextThread();
    const before = await aggregate(large);
    await (await made).terminate();
    expect(await aggregate(large)).toEqual(before);
  });
});

describe('a closed thread pool', () => {
  it('fails the work that runs and the work that waits', async () => {
    const failures = [aggregate(large), aggregate(large)].map(failureOf);
    await threadPool.close();
    expect(await Promise.all(failures)).toMatchObject([
      { message: 'a kernel thread ended' },
      { message: 'the server is closing' },
    ]);
    expect([threadPool.busy, threadPool.waiting]).toEqual([0, 0]);
  });

  it('refuses later work, and creates no thread for it', async () => {
    await aggregate(large);
    await threadPool.close();
    const made: Worker[] = [];
    const note = (worker: Worker) => made.push(worker);
    process.on('worker', note);
    const late = [
      aggregate(large),
      aggregate(small),
      ...[10, 40_000].map((count) => threadPool.match(keysOf(count, 1), searchFor('7'), FOREVER)),
    ];
    const reasons = await Promise.all(late.map(failureOf));
    process.off('worker', note);
    expect(reasons.map(String)).toEqual(late.map(() => 'Error: the server is closing'));
    expect([made.length, threadPool.busy, threadPool.waiting]).toEqual([0, 0, 0]);
  });
});
