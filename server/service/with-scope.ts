import { PagesGone, SnapshotMoved } from '../../resolvers/loaders/request-reads.ts';
import type { AnonymousScope } from '../../resolvers/request-scope.ts';
import type { ScopeRequest, Service } from './service.ts';

/**
 * Maximum number of attempts. A request is retried once because the data have changed or a standby
 * was passed over, and once for each node whose pooler loses statements.
 */
const MAX_ATTEMPTS = 4;

/** A request whose manifest's pages are gone is retried with a fresh manifest, at most twice. */
const MAX_MANIFESTS = 3;

/**
 * Opens the scope of one request, runs `work` in it, and releases what the scope holds. Most
 * requests need one statement, which then runs without a transaction. The whole work is retried
 * from the start, on the primary and in one transaction, if the data change between that statement
 * and the next one, a pooler loses a prepared statement, pages of the manifest were swept, or the
 * chosen standby cannot answer. The time limit starts with the first attempt.
 */
export async function withScope<T>(
  service: Service,
  request: ScopeRequest,
  timeoutSeconds: number | null,
  work: (scope: AnonymousScope) => Promise<T>,
): Promise<T> {
  const arrival = service.arrive();
  const attempt = async (mayBeginAnew: boolean) => {
    const scope = service.openScope(timeoutSeconds, request, { arrival, mayBeginAnew });
    try {
      const result = await work(scope);
      // GraphQL puts errors of fields into its result instead of throwing them.
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
