import { joinPieces } from '../../domain/text/long-text.ts';
import type { Identity } from '../../resolvers/callers/identity.ts';
import type { Rendered, RequestScope } from '../../resolvers/request-scope.ts';
import type { KeptOperation } from '../../schema/compiled/compiled-queries.ts';
import {
  type OperationLimits,
  type OperationRequest,
  type OperationResult,
  runOperation,
} from './run-operation.ts';

/** A kept operation with the parameters of a request. */
export type KeptRequest = OperationRequest & {
  readonly operation: KeptOperation;
  readonly operationName: string | null;
  readonly extensions: Readonly<Record<string, unknown>> | null;
};

/** A result, or the rendered body of one without errors. */
export type Outcome =
  | { readonly result: OperationResult; readonly body?: never }
  | { readonly body: Rendered['body']; readonly result?: never };

/**
 * Runs a kept operation, or returns its cached result. The body is the same on every path that a
 * request can take, so it is rendered once for all of them.
 */
export async function runOrRemember(
  scope: RequestScope,
  limits: OperationLimits,
  request: KeptRequest,
): Promise<Outcome> {
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
    reads.noteMoment();
    return { status: 200, headers: {}, body: '' };
  });
  return failed ? { result: failed } : { body };
}

/** Returns the cache key. It holds all that decides the result: user, grants and operation. */
const nameOf = (
  { username, contexts }: Identity,
  { operation, operationName, variables }: KeptRequest,
): string =>
  JSON.stringify([
    'graphql',
    operationName,
    variables,
    username,
    [...contexts.values()],
    operation.text,
  ]);
