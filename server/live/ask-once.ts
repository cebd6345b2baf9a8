import { type ExecutionResult, execute } from 'graphql';
import { AnswerBudget } from '../../resolvers/answer-budget.ts';
import { AnswerPace } from '../../resolvers/answer-pace.ts';
import { identifyBy } from '../../resolvers/callers/identify.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { withCode } from '../../schema/documents/render-error.ts';
import { schema } from '../../schema/schema.ts';
import type { Followed } from '../graphql/followed-by.ts';
import { masked, renderResult } from '../graphql/hot-graphql.ts';
import { countErrors } from '../graphql/observe-graphql.ts';
import type { RequestedOperation } from '../graphql/subscription-slot.ts';
import type { ScopeRequest, Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import type { Follower } from './streams/stream.ts';

/** An answer as JSON, and the result that it was rendered from. */
export type MadeAnswer = { readonly json: string; readonly result: ExecutionResult };

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
  /** Executes an operation; `root` is the source of its root field. */
  readonly make: (operation: RequestedOperation, root?: unknown) => Promise<MadeAnswer>;
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
    const make = async (
      operation: RequestedOperation,
      rootValue?: unknown,
    ): Promise<MadeAnswer> => {
      const { document, operationName, variables: variableValues } = operation;
      // Each answer may have as many values as the response to a request.
      const budget = new AnswerBudget(service.settings.answerValues);
      const pace = new AnswerPace(request.signal);
      const contextValue = { ...scope, budget, pace };
      const args = { schema, document, operationName, variableValues, contextValue, rootValue };
      const result = masked(await execute(args));
      for (const error of result.errors ?? []) withCode(error);
      for (const cause of countErrors(service.metrics, { anonymous, exchange: request }, result)) {
        onFailure(cause);
      }
      return { json: renderResult(result), result };
    };
    return work({ scope, make });
  });
}
