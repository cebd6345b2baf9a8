import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { visitHere } from './merge-visit.ts';
import { STOP, type ThreadReply, type ThreadTarget } from './visit-in-thread.ts';

/** Merging can wait: whatever answers requests goes first. */
const NICENESS = 10;

try {
  // Of this thread only, on Linux; elsewhere threads may have no priority of their own.
  if (process.platform === 'linux') setPriority(0, NICENESS);
} catch {
  // Not allowed to: then all threads are equal.
}

const { databaseUrl, contextId } = workerData as ThreadTarget;
const stopping = new AbortController();
parentPort?.on('message', (message: unknown) => {
  if (message === STOP) stopping.abort(new Error('the server ends'));
});
const reply = await visit();
parentPort?.postMessage(reply);
// Nothing is left to wait for: the thread ends.
parentPort?.close();

async function visit(): Promise<ThreadReply> {
  const now = () => Math.floor(Date.now() / 1000);
  try {
    return { visit: await visitHere({ databaseUrl, contextId, now, signal: stopping.signal }) };
  } catch (error) {
    return { error };
  }
}
