import { Worker } from 'node:worker_threads';
import type { MergeVisit, VisitContext } from './merge-visit.ts';

/** What the thread is told when it begins. */
export type ThreadTarget = { readonly databaseUrl: string; readonly contextId: number };

/** What it says at its end. */
export type ThreadReply =
  | { readonly visit: MergeVisit; readonly error?: never }
  | { readonly error: unknown; readonly visit?: never };

/** What ends it early. */
export const STOP = 'stop';

/**
 * Merges in a thread of its own, so that requests are answered meanwhile; it has the clock of the
 * machine. The thread ends with its work and gives its memory back.
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
    // Also after an error: until then its connection may be open.
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      if (reply?.visit) resolve(reply.visit);
      else reject(signal.aborted ? signal.reason : (reply?.error ?? failure));
    });
  });

/** Threads run what was compiled, also when these sources are run as they are (in tests). */
const WORKER_FILE = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/server/merging/merge-worker.js', import.meta.url)
  : new URL('./merge-worker.js', import.meta.url);
