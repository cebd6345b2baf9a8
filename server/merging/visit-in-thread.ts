import { Worker } from 'node:worker_threads';
import type { MergeVisit, VisitContext } from './merge-visit.ts';

/** The input of the thread. */
export type ThreadTarget = { readonly databaseUrl: string; readonly contextId: number };

/** The result of the thread. */
export type ThreadReply =
  | { readonly visit: MergeVisit; readonly error?: never }
  | { readonly error: unknown; readonly visit?: never };

/** The message that stops the thread early. */
export const STOP = 'stop';

/**
 * Merges in a thread of its own, so that requests are answered meanwhile. The thread uses the clock
 * of the machine. It ends with its work, which frees its memory.
 */
export const visitInThread: VisitContext = ({ databaseUrl, contextId, signal }) =>
  new Promise((resolve, reject) => {
    const target: ThreadTarget = { databaseUrl, contextId };
    const worker = new Worker(WORKER_FILE, { workerData: target });
    const stop = () => worker.postMessage(STOP);
    signal.addEventListener('abort', stop, { once: true });
    let reply: ThreadReply | null = null;
    let failure: unknown = new Error('the thread that merges ended without a result');
    worker.on('message', (message: ThreadReply) => {
      reply = message;
    });
    worker.on('error', (error) => {
      failure = error;
    });
    // Waits for the exit even after an error: until then the thread's connection may be open.
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      if (reply?.visit) resolve(reply.visit);
      else reject(signal.aborted ? signal.reason : (reply?.error ?? failure));
    });
  });

/** Threads run the compiled program, even if these sources run uncompiled (in tests). */
const WORKER_FILE = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/bundle/merge-worker.js', import.meta.url)
  : new URL('./merge-worker.js', import.meta.url);
