import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type KernelResult, type KernelTask, runKernelTask } from './kernel-task.ts';

/** The reply of a worker thread, which runs one task at a time. */
export type WorkerReply =
  | { readonly result: KernelResult; readonly error?: never }
  | { readonly error: unknown; readonly result?: never };

/** Below the priority of the request thread, so that short queries stay fast on a busy machine. */
const NICENESS = 5;

try {
  // On Linux this affects only this thread; elsewhere threads may have no priority of their own.
  if (process.platform === 'linux') setPriority(0, NICENESS);
} catch {
  // Not permitted: all threads then have the same priority, which costs only a little latency.
}

parentPort?.on('message', (task: KernelTask) => {
  parentPort?.postMessage(reply(task));
});

function reply(task: KernelTask): WorkerReply {
  try {
    return { result: runKernelTask(task) };
  } catch (error) {
    return { error };
  }
}
