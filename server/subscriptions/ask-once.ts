import { identifyBy } from '../../resolvers/callers/identify.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { countErrors } from '../graphql/observe-graphql.ts';
import type { Followed } from '../graphql/open-subscriptions.ts';
import {
  type OperationRequest,
  type OperationResult,
  runOperation,
} from '../graphql/run-operation.ts';
import type { ScopeRequest, Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import type { Follower } from './streams/stream.ts';

export type AskOptions = {
  /** What to look up and answer for. */
  readonly request: ScopeRequest;
  readonly asker: Asker;
  /** Called with each error inside an answer that concerns the operator. */
  readonly onFailure: (cause: unknown) => void;
};

/** A subscriber, and the node that answers the subscription. */
type Asker = Follower & Pick<Followed, 'contextName' | 'destinationNode'>;

/** A subscriber, looked up again for this answer. */
export type Asking = {
  readonly scope: RequestScope;
  /** Runs an operation. */
  readonly make: (request: OperationRequest) => Promise<OperationResult>;
};

/**
 * Runs `work` with its own snapshot and loaders, on behalf of a subscriber, who is looked up again.
 * Errors: `invalidToken` if the token is no longer valid according to the primary; those of the
 * database.
 */
export async function askOnce<T>(
  service: Service,
  { request, asker: { username, digest, ...followed }, onFailure }: AskOptions,
  work: (asking: Asking) => Promise<T>,
): Promise<T> {
  const seconds = service.settings.queryTimeoutSeconds;
  return withScope(service, request, seconds, async (anonymous) => {
    const claim = { username, digest, slicesOf: null };
    const standIns = anonymous.directory.allAfter(followed);
    const identity = await identifyBy(anonymous, claim, standIns);
    const scope = { ...anonymous, identity };
    const make = async (operation: OperationRequest): Promise<OperationResult> => {
      const result = await runOperation(scope, service.settings, operation);
      for (const cause of countErrors(service.metrics, { anonymous, exchange: request }, result)) {
        onFailure(cause);
      }
      return result;
    };
    return work({ scope, make });
  });
}
