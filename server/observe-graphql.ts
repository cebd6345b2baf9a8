import type { DocumentNode, ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { RequestScope } from '../resolvers/request-scope.ts';
import { operationName } from '../schema/operation-name.ts';
import { errorKindOf } from '../schema/render-error.ts';
import { currentRequest } from './current-request.ts';
import type { Metrics } from './metrics.ts';

/** What operations are called that have no name, or whose caller nobody knows. */
const UNNAMED = 'unnamed';
const SIGNED_OUT = 'signed_out';

/** Counts the errors of each answer, and names requests by their operation in metrics and logs. */
export const observeGraphQL = (metrics: Metrics): Plugin<object, object, RequestScope> => ({
  onExecute({ args: { document, operationName: name, contextValue } }) {
    const isKnown = 'identity' in contextValue && contextValue.identity !== null;
    noteOperation(document, name, isKnown);
  },
  onResultProcess({ request, result }) {
    // Nobody is told what became of it.
    if (request.signal.aborted || isAsyncIterable(result)) return;
    for (const each of Array.isArray(result) ? result : [result]) countErrors(metrics, each);
  },
});

/** Names the current request. There is room for so many names, which strangers are not to fill. */
export function noteOperation(
  document: DocumentNode,
  name: string | null | undefined,
  isKnown: boolean,
): void {
  const request = currentRequest.getStore();
  if (!request) return;
  request.operation = isKnown ? (operationName(document, name) ?? UNNAMED) : SIGNED_OUT;
}

export function countErrors(metrics: Metrics, { errors = [] }: Pick<ExecutionResult, 'errors'>) {
  for (const error of errors) metrics.error(errorKindOf(error));
}
