import { SnapshotMoved } from '../resolvers/loaders/request-reads.ts';
import type { AnonymousScope } from '../resolvers/request-scope.ts';
import type { AskedFor, Service } from './service.ts';

/**
 * Makes the scope of one request, works in it, and gives back what it holds. Most requests need one
 * statement, which is no transaction then; where the data change between it and the next one, all
 * of the work is begun anew, in one.
 */
export async function withScope<T>(
  service: Service,
  asked: AskedFor,
  timeoutSeconds: number | null,
  work: (scope: AnonymousScope) => Promise<T>,
): Promise<T> {
  const attempt = async (mayReadAlone: boolean) => {
    const scope = service.openScope(timeoutSeconds, asked, { mayReadAlone });
    try {
      const result = await work(scope);
      // GraphQL puts what a field throws into its result.
      if (scope.reads.hasMoved) throw new SnapshotMoved();
      return result;
    } finally {
      await scope.reads.end();
    }
  };
  try {
    return await attempt(true);
  } catch (error) {
    if (!(error instanceof SnapshotMoved)) throw error;
    return attempt(false);
  }
}
