import {
  AnswerPostponed,
  PagesGone,
  SnapshotMoved,
  type TimeBound,
} from '../../resolvers/loaders/request-reads.ts';
import type { AnonymousScope } from '../../resolvers/request-scope.ts';
import type { Arrival, ScopeRequest, Service } from './service.ts';
import { TimeLimit } from './time-limit.ts';

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
 * chosen standby cannot answer. The time limit starts with the request, and bounds all attempts.
 */
export async function withScope<T>(
  service: Service,
  request: ScopeRequest,
  timeoutSeconds: number | null,
  work: (scope: AnonymousScope) => Promise<T>,
): Promise<T> {
  const arrival = service.arrive(request.arrivedAt);
  const limit = new TimeLimit(request.signal, boundOf(arrival, timeoutSeconds));
  const attempt = async (mayBeginAnew: boolean) => {
    const scope = service.openScope(timeoutSeconds, request, { arrival, mayBeginAnew, limit });
    try {
      const result = await limit.enforce(work(scope));
      // GraphQL puts errors of fields into its result instead of throwing them.
      const { moved } = scope.reads;
      if (moved) throw moved;
      return result;
    } finally {
      // Cancelling a statement may take seconds if the database hangs.
      await limit.waitFor(scope.reads.end());
    }
  };
  let manifests = 1;
  let isAnswered = false;
  try {
    for (let attempts = 1; ; attempts += 1) {
      try {
        const result = await attempt(attempts === 1);
        isAnswered = true;
        return result;
      } catch (error) {
        if (error instanceof AnswerPostponed) {
          await request.waitForReaders?.(limit.signal);
          continue;
        }
        if (!(error instanceof SnapshotMoved) || attempts >= MAX_ATTEMPTS) throw error;
        if (error instanceof PagesGone && manifests === MAX_MANIFESTS) throw error;
        if (error instanceof PagesGone) manifests += 1;
      }
    }
  } finally {
    if (!isAnswered) limit.abandon();
    limit.end();
  }
}

const boundOf = ({ startedAt }: Arrival, seconds: number | null): TimeBound | null =>
  seconds === null ? null : { seconds, until: startedAt + seconds * 1000 };
