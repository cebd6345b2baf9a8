import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Reader, SharedReads } from '../../../db/session/shared-reads.ts';
import { LIMITS } from '../../../domain/limits.ts';

const waitOn = <R>(what: Promise<R>): Promise<R> => what;

/** Reads that end on command, and a record of how each began. */
function controlled() {
  const ends: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const begun: string[] = [];
  const signals: AbortSignal[] = [];
  /** For each call of `release`, the number of reads that had begun. */
  const release: number[] = [];
  const begin = (how: string, signal?: AbortSignal): Promise<string> => {
    begun.push(how);
    if (signal) signals.push(signal);
    return new Promise((resolve, reject) => ends.push({ resolve, reject }));
  };
  const reader = (wait: Reader<string>['wait'] = waitOn): Reader<string> => ({
    own: () => begin('own'),
    together: (signal) => begin('together', signal),
    release: () => release.push(begun.length),
    wait,
    isCommon: (error) => error instanceof Error && error.message === 'of all',
  });
  return { ends, begun, signals, release, reader };
}

const settled = () => delay(0);

/** Starts as many readers as may read on their own, and then three that must wait. */
function three(shared: SharedReads, { reader }: ReturnType<typeof controlled>) {
  const own = Array.from({ length: LIMITS.sharedReads }, () => shared.read('a', reader()));
  const waiting = [1, 2, 3].map(() => shared.read('a', reader()));
  return { own, waiting };
}

const OWN = Array.from({ length: LIMITS.sharedReads }, () => 'own');

describe('shared reads', () => {
  it('are one read for all that arrive during other reads, begun when one of those ends', async () => {
    const shared = new SharedReads();
    const reads = controlled();
    const { own, waiting } = three(shared, reads);
    expect(reads.begun).toEqual(OWN);
    reads.ends[0]?.resolve('before');
    expect(await own[0]).toBe('before');
    expect(reads.begun).toEqual([...OWN, 'together']);
    reads.ends.at(-1)?.resolve('for all');
    expect(await Promise.all(waiting)).toEqual(['for all', 'for all', 'for all']);
  });

  it('let only waiting readers release what they hold', () => {
    const shared = new SharedReads();
    const reads = controlled();
    for (const _ of OWN) void shared.read('a', reads.reader());
    expect(reads.release).toEqual([]);
    void shared.read('a', reads.reader());
    expect(reads.release).toEqual([OWN.length]);
  });

  it('are separate for separate names', () => {
    const shared = new SharedReads();
    const reads = controlled();
    for (const name of ['a', 'b']) for (const _ of OWN) void shared.read(name, reads.reader());
    expect(reads.begun).toEqual([...OWN, ...OWN]);
  });

  it('do not wait long for reads that hang', async () => {
    const shared = new SharedReads();
    const reads = controlled();
    const { waiting } = three(shared, reads);
    while (reads.begun.length === OWN.length) await delay(1);
    reads.ends.at(-1)?.resolve('for all');
    expect(await Promise.all(waiting)).toEqual(['for all', 'for all', 'for all']);
  });

  it('fall back to a read for each reader if the shared one fails', async () => {
    const shared = new SharedReads();
    const reads = controlled();
    const { waiting } = three(shared, reads);
    reads.ends[0]?.resolve('before');
    await settled();
    reads.ends.at(-1)?.reject(new Error('connection lost'));
    await settled();
    expect(reads.begun).toEqual([...OWN, 'together', 'own', 'own', 'own']);
    for (const { resolve } of reads.ends) resolve('own');
    expect(await Promise.all(waiting)).toEqual(['own', 'own', 'own']);
  });

  it('fail for all if each would get the same error alone', async () => {
    const shared = new SharedReads();
    const reads = controlled();
    const { waiting } = three(shared, reads);
    reads.ends[0]?.resolve('before');
    await settled();
    reads.ends.at(-1)?.reject(new Error('of all'));
    const outcomes = await Promise.allSettled(waiting);
    const failed = { status: 'rejected', reason: new Error('of all') };
    expect(outcomes).toEqual([failed, failed, failed]);
    expect(reads.begun).toEqual([...OWN, 'together']);
  });

  it('are aborted when no reader waits any longer', async () => {
    const shared = new SharedReads();
    const reads = controlled();
    const gone: ((error: Error) => void)[] = [];
    const impatient = <R>(what: Promise<R>): Promise<R> =>
      Promise.race([what, new Promise<R>((_, reject) => gone.push(reject))]);
    for (const _ of OWN) void shared.read('a', reads.reader());
    const waiting = [1, 2].map(() => shared.read('a', reads.reader(impatient)));
    const told = waiting.map((each) => expect(each).rejects.toThrow('gone'));
    reads.ends[0]?.resolve('before');
    await settled();
    gone[0]?.(new Error('gone'));
    await settled();
    expect(reads.signals.map(({ aborted }) => aborted)).toEqual([false]);
    gone[1]?.(new Error('gone'));
    await Promise.all(told);
    expect(reads.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('serve later readers even if the first one that waited has gone', async () => {
    const shared = new SharedReads();
    const reads = controlled();
    const gone = <R>(_: Promise<R>): Promise<R> => Promise.reject(new Error('gone'));
    for (const _ of OWN) void shared.read('a', reads.reader());
    await expect(shared.read('a', reads.reader(gone))).rejects.toThrow('gone');
    const late = shared.read('a', reads.reader());
    reads.ends[0]?.resolve('before');
    await settled();
    expect(reads.signals.map(({ aborted }) => aborted)).toEqual([false]);
    reads.ends.at(-1)?.resolve('for all');
    expect(await late).toBe('for all');
  });

  it('keep the limit of concurrent reads after one has failed', async () => {
    const shared = new SharedReads();
    const reads = controlled();
    const { waiting } = three(shared, reads);
    for (const { resolve } of reads.ends) resolve('before');
    await settled();
    reads.ends.at(-1)?.reject(new Error('connection lost'));
    await settled();
    for (const { resolve } of reads.ends) resolve('own');
    await Promise.all(waiting);
    const before = reads.begun.length;
    three(shared, reads);
    expect(reads.begun.slice(before)).toEqual(OWN);
  });

  it('never return a state from before the reader asked', async () => {
    const turns = fc.nat({ max: 6 });
    const asks = fc.array(fc.record({ after: turns, takes: turns, fails: fc.boolean() }), {
      minLength: 10,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(asks, async (plan) => {
        const shared = new SharedReads();
        let version = 0;
        await Promise.all(
          plan.map(async ({ after, takes, fails }) => {
            await pass(after);
            version += 1;
            const asked = version;
            const read = async (mayFail: boolean): Promise<number> => {
              const seen = version;
              await pass(takes);
              if (mayFail && fails) throw new Error('connection lost');
              return seen;
            };
            const seen = await shared.read('a', {
              own: () => read(false),
              together: () => read(true),
              wait: waitOn,
              release: () => {},
              isCommon: () => false,
            });
            expect(seen).toBeGreaterThanOrEqual(asked);
          }),
        );
      }),
    );
  });
});

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
}
