import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type KernelResult, type KernelTask, runKernelTask } from './kernel-task.ts';

/** What a worker is sent and what it sends back; it works on one task at a time. */
export type WorkerReply =
  | { readonly result: KernelResult; readonly error?: never }
  | { readonly error: unknown; readonly result?: never };

/** Below the thread that answers requests: on a busy machine short questions are to stay short. */
const NICENESS = 5;

try {
  // Of this thread only, on Linux; elsewhere threads may have no priority of their own.
  if (process.platform === 'linux') setPriority(0, NICENESS);
} catch {
  // Not allowed to: then all threads are equal, which costs nothing but a little latency.
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
