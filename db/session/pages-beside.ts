import type { PageSource } from './copy-source.ts';
import { ReadSession, type ReadSessionOptions } from './read-session.ts';

/**
 * Returns the source of distributed pages for a request. Each copy is a transaction of its own, on
 * another connection than the request's session, and also carries the request's name. Errors: those
 * of a session; a worker that does not answer makes the node unreachable.
 */
export function pagesBeside(options: ReadSessionOptions): PageSource {
  const { pool, signal } = options;
  return {
    async copy({ segmentIds, ...copy }, deadline) {
      await pool.workers.refuse(segmentIds);
      const silence = new AbortController();
      const session = new ReadSession({
        ...options,
        pool: { ...pool, reads: pool.pages },
        signal: AbortSignal.any([signal, silence.signal]),
      });
      const stopWatching = pool.workers.watch(segmentIds, (error) => silence.abort(error));
      try {
        return await session.copy(copy, deadline);
      } finally {
        stopWatching();
        await session.end();
      }
    },
  };
}
