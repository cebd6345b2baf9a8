import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Sliced } from '../../../domain/sliced.ts';
import { type KernelResult, type KernelTask, slicesOf } from './kernel-task.ts';

/**
 * What a worker thread is told: to begin a job, to continue one, each for one slice, or to forget
 * one that it has begun.
 */
export type WorkerRequest =
  | { readonly job: number; readonly sliceMs: number; readonly task: KernelTask | null }
  | { readonly job: number; readonly isDropped: true };

/** The reply of a worker thread after a slice, which took `ms`. */
export type WorkerReply = { readonly ms: number } & (
  | { readonly kind: 'done'; readonly result: KernelResult }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'paused' }
);

/** Below the priority of the request thread, so that short queries stay fast on a busy machine. */
const NICENESS = 5;

try {
  // On Linux this affects only this thread; elsewhere threads may have no priority of their own.
  if (process.platform === 'linux') setPriority(0, NICENESS);
} catch {
  // Not permitted: all threads then have the same priority, which costs only a little latency.
}

/** The jobs that have begun and not ended. */
const jobs = new Map<number, Sliced<KernelResult>>();

parentPort?.on('message', (request: WorkerRequest) => {
  if ('isDropped' in request) jobs.delete(request.job);
  else parentPort?.postMessage(runSlice(request));
});

function runSlice({
  job,
  sliceMs,
  task,
}: Exclude<WorkerRequest, { readonly isDropped: true }>): WorkerReply {
  const startedAt = performance.now();
  const used = (): number => performance.now() - startedAt;
  try {
    const work = task === null ? jobs.get(job) : slicesOf(task);
    if (work === undefined) throw new Error(`job ${job} has not begun in this thread`);
    jobs.set(job, work);
    let step = work.next();
    while (step.done !== true && used() < sliceMs) step = work.next();
    if (step.done !== true) return { kind: 'paused', ms: used() };
    jobs.delete(job);
    return { kind: 'done', result: step.value, ms: used() };
  } catch (error) {
    jobs.delete(job);
    return { kind: 'failed', error, ms: used() };
  }
}
