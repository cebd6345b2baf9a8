import { Worker } from 'node:worker_threads';
import { withConnection } from '../../db/connection/with-connection.ts';
import { type MergeOutcome, mergeContext } from '../../store/merge/merge-context.ts';

/** The input of the thread. */
export type ThreadTarget = { readonly databaseUrl: string; readonly contextId: number };

/** The result of the thread. */
export type ThreadReply =
  | { readonly visit: ContextMerges; readonly error?: never }
  | { readonly error: unknown; readonly visit?: never };

/** The message that stops the thread early. */
export const STOP = 'stop';

/**
 * Merges in a thread of its own, so that requests are answered meanwhile. The thread uses the clock
 * of the machine. It ends with its work, which frees its memory.
 */
export const mergeInThread: MergeContext = ({ databaseUrl, contextId, signal }) =>
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

/** A context whose segments should be merged. */
export type MergeTarget = {
  readonly databaseUrl: string;
  readonly contextId: number;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly signal: AbortSignal;
};

/** What a visit has done. */
export type ContextMerges = {
  readonly outcome: MergeOutcome;
  readonly merges: number;
  /** Number of segments replaced. */
  readonly replaced: number;
  /** Number of roll-ups made. */
  readonly rollUps: number;
  /** Bytes written. */
  readonly bytes: number;
  /** Messages about segments that could not be merged. */
  readonly damaged: readonly string[];
};

/** Merges what is due in a context, on a connection of its own. */
export type MergeContext = (target: MergeTarget) => Promise<ContextMerges>;

/** Merges in this thread, which large segments block for up to half a second at a time. */
export const mergeHere: MergeContext = ({ databaseUrl, contextId, now, signal }) =>
  withConnection({ databaseUrl, signal }, 'merging', async (connection) => {
    const done = { merges: 0, replaced: 0, rollUps: 0, bytes: 0 };
    const damaged: string[] = [];
    const outcome = await mergeContext(connection, {
      contextId,
      now,
      signal,
      onMerged({ sizeBytes }, { inputs }) {
        done.merges += 1;
        done.replaced += inputs.length;
        done.bytes += sizeBytes;
      },
      onRolledUp({ sizeBytes }) {
        done.rollUps += 1;
        done.bytes += sizeBytes;
      },
      onDamaged({ message }, inputs) {
        const ids = inputs.map(({ segmentId }) => segmentId);
        damaged.push(`segments ${ids.join(', ')}: ${message}`);
      },
    });
    return { outcome, ...done, damaged };
  });
