import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JobQueue, type QueuedJob } from '../../../engine/kernel/threads/job-queue.ts';

type NamedJob = QueuedJob & { readonly name: string };

const jobOf = (name: string): NamedJob => ({ name, user: name.charAt(0), thread: null });

const THREAD = {};
const OTHER_THREAD = {};

/** Returns a queue with these jobs, which arrived in this order; the first letter is the user. */
function queueOf(...names: string[]): JobQueue<NamedJob> {
  const queue = new JobQueue<NamedJob>();
  for (const name of names) queue.add(jobOf(name));
  return queue;
}

/** Runs the next job for a slice, after which it waits again. Returns its name. */
function runSlice(queue: JobQueue<NamedJob>, ms = 50, thread: object = THREAD): string | null {
  const job = queue.take(thread);
  if (job) queue.pause(job, ms);
  return job?.name ?? null;
}

/** Runs the next job to its end. Returns its name. */
function runWhole(queue: JobQueue<NamedJob>, ms: number): string | null {
  const job = queue.take(THREAD);
  if (job) queue.remove(job, ms);
  return job?.name ?? null;
}

describe('the next job', () => {
  it('is one of the user who has received the least time, however many others have queued', () => {
    const queue = queueOf('a1', 'a2', 'a3');
    expect(runSlice(queue)).toBe('a1');
    queue.add(jobOf('b1'));
    expect(runWhole(queue, 10)).toBe('b1');
    expect(runSlice(queue)).toBe('a2');
  });

  it('is, of a user who arrives, before those of users with the same time', () => {
    const queue = queueOf('a1', 'b1');
    expect(runSlice(queue)).toBe('b1');
    expect(runSlice(queue)).toBe('a1');
    queue.add(jobOf('c1'));
    expect(runSlice(queue)).toBe('c1');
  });

  it('alternates between users whose jobs take many slices', () => {
    const queue = queueOf('a1', 'b1');
    const order = Array.from({ length: 6 }, () => runSlice(queue));
    expect(order).toEqual(['b1', 'a1', 'b1', 'a1', 'b1', 'a1']);
  });

  it('is, of one user, the one that has had the least time, then the oldest', () => {
    const queue = queueOf('a1', 'a2');
    expect(runSlice(queue)).toBe('a1');
    queue.add(jobOf('a3'));
    expect([runSlice(queue), runSlice(queue), runSlice(queue)]).toEqual(['a2', 'a3', 'a1']);
  });

  it('of a user who was away does not make up for the time before', () => {
    const queue = queueOf('a1', 'b1');
    expect(runWhole(queue, 10)).toBe('b1');
    for (let i = 0; i < 5; i += 1) expect(runSlice(queue)).toBe('a1');
    queue.add(jobOf('b2'));
    expect([runSlice(queue), runSlice(queue), runSlice(queue)]).toEqual(['b2', 'a1', 'b2']);
  });

  it('continues only in the thread in which it began', () => {
    const queue = queueOf('a1');
    expect(runSlice(queue, 50, THREAD)).toBe('a1');
    expect(runSlice(queue, 50, OTHER_THREAD)).toBeNull();
    expect(runSlice(queue, 50, THREAD)).toBe('a1');
  });

  it('is none of a user who is left out', () => {
    const queue = queueOf('a1', 'b1');
    expect(queue.take(THREAD, new Set(['b']))?.name).toBe('a1');
    expect(queue.take(THREAD, new Set(['a', 'b']))).toBeNull();
  });

  it('is none that runs or was removed', () => {
    const queue = queueOf('a1', 'a2');
    const first = queue.take(THREAD);
    expect([first?.name, queue.waiting]).toEqual(['a1', 1]);
    for (const job of queue.jobs()) queue.remove(job);
    expect([queue.take(THREAD), queue.waiting]).toEqual([null, 0]);
  });
});

describe('a user with few jobs', () => {
  it('waits for no more slices than there are other users', () => {
    const users = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
    fc.assert(
      fc.property(users, fc.nat(40), (names, slices) => {
        const queue = queueOf(...names.map((user, i) => `${user}${i}`));
        for (let i = 0; i < slices; i += 1) runSlice(queue);
        queue.add(jobOf('small'));
        let waited = 0;
        while (runSlice(queue) !== 'small') waited += 1;
        expect(waited).toBeLessThanOrEqual(new Set(names).size);
      }),
    );
  });
});

describe('the job that a full queue refuses', () => {
  it('is the newest of the user with the most waiting jobs', () => {
    expect(queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1').newestOfMost()?.name).toBe('a3');
    expect(queueOf().newestOfMost()).toBeNull();
  });

  it('is one of the user who came last, if others have as many', () => {
    expect(queueOf('a1', 'b1', 'c1').newestOfMost()?.name).toBe('c1');
  });

  it('is none that a thread works on', () => {
    const queue = queueOf('a1', 'a2', 'b1');
    expect([queue.take(THREAD)?.name, queue.take(THREAD)?.name]).toEqual(['b1', 'a1']);
    expect(queue.newestOfMost()?.name).toBe('a2');
  });
});
