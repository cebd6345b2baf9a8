import { type GraphQLError, OperationTypeNode } from 'graphql';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { joinPieces, type Piece } from '../../domain/text/long-text.ts';
import type { Identity } from '../../resolvers/callers/identity.ts';
import { OperationProgress } from '../../resolvers/operation-progress.ts';
import type { Rendered, RequestScope } from '../../resolvers/request-scope.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledOperation } from '../../schema/compiled/compile-operation.ts';
import type { KeptOperation } from '../../schema/compiled/compiled-queries.ts';
import { introspectionFault } from '../../schema/documents/introspection.ts';
import type { IntrospectionMode } from '../../schema/documents/introspection-modes.ts';
import { renderError, withCode } from '../../schema/documents/render-error.ts';
import { CallerGone } from '../http/http-exchange.ts';

export type OperationRequest = {
  readonly operation: CompiledOperation;
  /** As the caller sent them. */
  readonly variables: Variables;
  /** The source of the root fields. */
  readonly rootValue?: unknown;
};

/** What an operation may use; the settings have both. */
type OperationLimits = {
  /** Values that it may complete. */
  readonly answerValues: number;
  readonly answerValuesSignedOut: number;
  /** Units that it may cost. */
  readonly graphql: { readonly cost: number };
  /** Who may request the schema. */
  readonly introspection: IntrospectionMode;
};

/** The answer to an operation, with errors as callers may see them. */
export type OperationResult = {
  /** JSON; null: the operation was refused before it was run. */
  readonly data: Piece | null;
  readonly errors: readonly GraphQLError[];
};

/**
 * Runs an operation. This is the only way: over HTTP, for subscriptions and for tools. Whatever the
 * operation selects, each of its values is counted, other requests run in between, and it ends when
 * it has too many values, its time is over, or its caller has gone.
 */
export async function runOperation(
  scope: RequestScope,
  limits: OperationLimits,
  { operation, variables, rootValue }: OperationRequest,
): Promise<OperationResult> {
  const isSignedIn = scope.identity !== null;
  const fault = operation.introspects && introspectionFault(limits.introspection, isSignedIn);
  if (fault) return { data: null, errors: [fault] };
  const { coerced, errors } = operation.coerce(variables);
  if (!coerced) return { data: null, errors: errors.map(withCode) };
  priceFilters(scope, limits.graphql.cost);
  const values = isSignedIn ? limits.answerValues : limits.answerValuesSignedOut;
  const progress = new OperationProgress({
    values,
    exceeded: () => tooMany('The values of an answer', values),
    onWritten(characters) {
      if (characters > LIMITS.answerCharacters)
        throw tooMany('The characters of an answer', LIMITS.answerCharacters);
      scope.onRendered(characters);
    },
    onWaiting(isWaiting) {
      if (isWaiting) scope.reads.batches.close();
      else scope.reads.batches.open();
    },
  });
  endIfPostponed(scope, progress);
  const isMutation = operation.operation.operation === OperationTypeNode.MUTATION;
  const stopWatching = endWith(scope.signal, progress, isMutation ? null : LIMITS.lateAnswerMs);
  try {
    const result = await operation.run({ scope, variables: coerced, rootValue, progress });
    return { data: result.data, errors: result.errors.map(masked) };
  } finally {
    if (progress.ended) scope.abandon();
    stopWatching();
  }
}

const masked = (error: GraphQLError): GraphQLError => withCode(renderError(error));

const tooMany = (what: string, limit: number): Error =>
  serviceError('limit', { what, limit, 'what was given': LESS });

const LESS = 'more: request fewer fields, fewer aliases, smaller pages or a shorter window';

/**
 * Charges the operation for matching keys with patterns, which costs more the more keys there are
 * and the longer the patterns: only the manifest shows how many keys that is.
 */
function priceFilters({ reads }: RequestScope, limit: number): void {
  let units = 0;
  reads.onFilter = (keys, instructions) => {
    units += (keys * instructions) / LIMITS.filterUnit;
    if (units > limit) throw tooMany('The cost of matching keys with patterns', limit);
  };
}

/** Ends an operation at once if it is postponed because of the keys that it lists. */
function endIfPostponed({ reads }: RequestScope, progress: OperationProgress): void {
  const { onListed } = reads;
  reads.onListed = (keys) => {
    try {
      onListed(keys);
    } catch (error) {
      progress.end(error);
      throw error;
    }
  };
}

/**
 * Ends an operation whose caller has gone, or whose time has been over for `graceMs`. null, for
 * mutations: their answer waits until it is known whether the change was made.
 */
function endWith(
  signal: AbortSignal,
  progress: OperationProgress,
  graceMs: number | null,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    const { reason } = signal;
    if (reason instanceof CallerGone) progress.end(reason);
    // Reads end with the same limit: their fields are null, and the others may still be rendered.
    else if (graceMs !== null) timer = setTimeout(() => progress.end(reason), graceMs);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  };
}

/** A kept operation with the parameters of a request. */
export type KeptRequest = OperationRequest & {
  readonly operation: KeptOperation;
  readonly operationName: string | null;
  readonly extensions: Readonly<Record<string, unknown>> | null;
};

/** A result, or the rendered body of one without errors. */
export type CachedOutcome =
  | { readonly result: OperationResult; readonly body?: never }
  | { readonly body: Rendered['body']; readonly result?: never };

/**
 * Runs a kept operation, or returns its cached result. The body is the same on every path that a
 * request can take, so it is rendered once for all of them.
 */
export async function runCached(
  scope: RequestScope,
  limits: OperationLimits,
  request: KeptRequest,
): Promise<CachedOutcome> {
  const { identity, reads } = scope;
  const isByPrimary = identity?.nodeUrl === reads.primaryUrl;
  const run = () => runOperation(scope, limits, request);
  const isQuery = request.operation.operation.operation === 'query';
  // Plans describe this run, and what a stand-in knows of the caller may differ from node to node.
  if (!identity || !isByPrimary || !isQuery || request.extensions?.['plan'] === true) {
    return { result: await run() };
  }
  let failed: OperationResult | null = null;
  const { body } = await reads.remembered(nameOf(identity, request), async () => {
    const result = await run();
    const { data, errors } = result;
    if (data !== null && errors.length === 0) {
      return { status: 200, headers: {}, body: joinPieces(['{"data":', data, '}']) };
    }
    failed = result;
    reads.markUncacheable();
    return { status: 200, headers: {}, body: '' };
  });
  return failed ? { result: failed } : { body };
}

/** Returns the cache key. It holds all that decides the result: user, grants and operation. */
const nameOf = (
  { username, isAdmin, contexts }: Identity,
  { operation, operationName, variables }: KeptRequest,
): string =>
  JSON.stringify([
    'graphql',
    operationName,
    variables,
    username,
    isAdmin,
    [...contexts.values()],
    operation.text,
  ]);
