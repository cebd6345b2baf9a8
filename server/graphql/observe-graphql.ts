import { type DocumentNode, type ExecutionResult, getOperationAST } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { causeOf, errorKindOf } from '../../schema/documents/render-error.ts';
import { CallerGone } from '../http/http-exchange.ts';
import type { Service } from '../service/service.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { CurrentRequest } from '../telemetry/tracing.ts';
import type { GraphQLServerContext } from './graphql-scope.ts';

/** The names of operations without a name, and of those whose caller is unknown. */
const UNNAMED = 'unnamed';
const SIGNED_OUT = 'signed_out';

/** Counts and logs the errors of each answer, and names requests by their operation. */
export const observeGraphQL = (
  service: Reporting,
): Plugin<GraphQLServerContext, GraphQLServerContext, RequestScope> => ({
  onExecute({ args: { document, operationName: name, contextValue } }) {
    const isKnown = 'identity' in contextValue && contextValue.identity !== null;
    noteOperation(contextValue.exchange.current, { document, name, isKnown });
  },
  onResultProcess({ result, serverContext: { anonymous, exchange } }) {
    if (isAsyncIterable(result)) return;
    for (const each of Array.isArray(result) ? result : [result]) {
      noteErrors(service, { anonymous, exchange }, each);
    }
  },
});

/** Names a request. The number of names is limited, and unknown callers must not use it up. */
export function noteOperation(
  current: CurrentRequest,
  {
    document,
    name,
    isKnown,
  }: { document: DocumentNode; name: string | null | undefined; isKnown: boolean },
): void {
  current.operation = isKnown ? (operationName(document, name) ?? UNNAMED) : SIGNED_OUT;
}

type Reporting = Pick<Service, 'metrics' | 'failures'>;

const FIELD_FAILED = 'a GraphQL field failed';

/** Counts the errors that the caller sees, and logs their causes for the operator. */
export function noteErrors(
  { metrics, failures }: Reporting,
  context: Pick<GraphQLServerContext, 'anonymous' | 'exchange'>,
  result: Pick<ExecutionResult, 'errors'>,
): void {
  for (const err of countErrors(metrics, context, result)) {
    if (failures.isNews(FIELD_FAILED, err)) context.exchange.log.error({ err }, FIELD_FAILED);
  }
}

/** Counts the errors that the caller sees. Returns their causes, which concern the operator. */
export function countErrors(
  metrics: Metrics,
  {
    anonymous: { reads },
    exchange: { signal },
  }: Pick<GraphQLServerContext, 'anonymous' | 'exchange'>,
  { errors = [] }: Pick<ExecutionResult, 'errors'>,
): unknown[] {
  // The caller never sees these errors: the request is retried from the start.
  if (reads.mustRetry) return [];
  for (const error of errors) {
    if (!signal.aborted) metrics.error(errorKindOf(error));
  }
  // One cause may fail thousands of fields.
  return [...new Set(errors.map(causeOf))].filter(
    (cause) => cause !== undefined && !(cause instanceof CallerGone),
  );
}

/** The name of the operation that is run; null for one without. */
const operationName = (document: DocumentNode, chosen: string | null | undefined): string | null =>
  getOperationAST(document, chosen)?.name?.value ?? null;
