import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { mergeHere, STOP, type ThreadReply, type ThreadTarget } from './merge-in-thread.ts';

/** Merging can wait: threads that answer requests go first. */
const NICENESS = 10;

try {
  // On Linux this affects only this thread; elsewhere threads may have no priority of their own.
  if (process.platform === 'linux') setPriority(0, NICENESS);
} catch {
  // Not permitted: then all threads have the same priority.
}

const { databaseUrl, contextId } = workerData as ThreadTarget;
const stopping = new AbortController();
parentPort?.on('message', (message: unknown) => {
  if (message === STOP) stopping.abort(new Error('the server ends'));
});
const reply = await visit();
parentPort?.postMessage(reply);
// Nothing else keeps the thread alive: it ends.
parentPort?.close();

async function visit(): Promise<ThreadReply> {
  const now = () => Math.floor(Date.now() / 1000);
  try {
    return { visit: await mergeHere({ databaseUrl, contextId, now, signal: stopping.signal }) };
  } catch (error) {
    return { error };
  }
}
