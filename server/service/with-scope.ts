import { PagesGone, SnapshotMoved } from '../../resolvers/loaders/session/request-reads.ts';
import type { AnonymousScope } from '../../resolvers/request-scope.ts';
import type { AskedFor, Service } from './service.ts';

/**
 * Once as the data have changed or a standby was passed over, and once for each node whose pooler
 * loses statements.
 */
const MAX_ATTEMPTS = 4;

/** A request that comes too late for its manifest begins anew with a fresh one, twice at most. */
const MAX_MANIFESTS = 3;

/**
 * Makes the scope of one request, works in it, and gives back what it holds. Most requests need one
 * statement, which is no transaction then; where the data change between it and the next one, or a
 * pooler loses a prepared statement, or pages of the manifest were swept, or a standby that was to
 * answer cannot, all of the work is begun anew, on the primary and in one transaction. The time
 * that it may take began with the first attempt.
 */
export async function withScope<T>(
  service: Service,
  asked: AskedFor,
  timeoutSeconds: number | null,
  work: (scope: AnonymousScope) => Promise<T>,
): Promise<T> {
  const arrival = service.arrive();
  const attempt = async (mayBeginAnew: boolean) => {
    const scope = service.openScope(timeoutSeconds, asked, { arrival, mayBeginAnew });
    try {
      const result = await work(scope);
      // GraphQL puts what a field throws into its result.
      const { moved } = scope.reads;
      if (moved) throw moved;
      return result;
    } finally {
      await scope.reads.end();
    }
  };
  let manifests = 1;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(attempts === 1);
    } catch (error) {
      if (!(error instanceof SnapshotMoved) || attempts === MAX_ATTEMPTS) throw error;
      if (error instanceof PagesGone && manifests === MAX_MANIFESTS) throw error;
      if (error instanceof PagesGone) manifests += 1;
    }
  }
}
