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
  onExecute({ args }) {
    const request = currentRequest.getStore();
    if (!request) return;
    const { contextValue } = args;
    const name = operationName(args.document, args.operationName) ?? UNNAMED;
    // There is room for so many names, which strangers are not to fill.
    const isKnown = 'identity' in contextValue && contextValue.identity !== null;
    request.operation = isKnown ? name : SIGNED_OUT;
  },
  onResultProcess({ result }) {
    if (isAsyncIterable(result)) return;
    for (const each of Array.isArray(result) ? result : [result]) {
      if (!('errors' in each)) continue;
      for (const error of each.errors ?? []) metrics.error(errorKindOf(error));
    }
  },
});
