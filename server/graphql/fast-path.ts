import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../domain/errors.ts';
import { isObject } from '../../domain/is-object.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import type { HeaderSource } from '../../schema/documents/credentials.ts';
import { renderError } from '../../schema/documents/render-error.ts';
import { costFault } from '../../schema/limits/cost-fault.ts';
import { documentFault } from '../../schema/limits/document-fault.ts';
import type { GraphQLLimits } from '../../schema/limits/graphql-limits.ts';
import { nestingFault } from '../../schema/limits/request-fault.ts';
import type { Answer } from '../http/http-exchange.ts';
import type { Service } from '../service/service.ts';
import type { Documents } from './documents.ts';
import { type GraphQLServerContext, openGraphQLScope } from './graphql-scope.ts';
import { noteErrors, noteOperation } from './observe-graphql.ts';
import { goodAnswer, type MediaType, plansOf, renderResult } from './render-result.ts';
import { type KeptRequest, type OperationResult, runCached } from './run-operation.ts';

/** A request for a kept operation, with the media type of its response. */
type FastRequest = KeptRequest & { readonly mediaType: MediaType };

type FastPath = {
  readonly compiled: CompiledQueries;
  readonly documents: Documents;
  readonly limits: GraphQLLimits;
};

/**
 * Prepares a request for the fast path, which most requests take: a kept operation, POSTed as plain
 * JSON, is answered without Yoga's detour through the types of `fetch`. Returns null for any
 * unusual request, which goes through Yoga.
 */
export function fastRequestOf(
  { compiled, documents, limits }: FastPath,
  request: IncomingMessage,
  body: Buffer,
): FastRequest | null {
  const mediaType = ACCEPTED.get(request.headers.accept ?? '*/*');
  if (!mediaType) return null;
  const params = parseParams(body);
  if (params === null || nestingFault(params)) return null;
  const text = textOf(documents, params);
  const operation = text === null ? null : compiled.find(text, params.operationName);
  if (!operation || !FAST_KINDS.has(operation.operation.operation)) return null;
  const { coerced } = operation.coerce(params.variables);
  if (!coerced) return null;
  const { document } = operation;
  const isOverLimit =
    documentFault(document, limits) ?? costFault(document, params.operationName, coerced, limits);
  if (isOverLimit) return null;
  const { operationName, variables, extensions } = params;
  return { operation, operationName, variables, extensions, mediaType };
}

/** Yoga hands subscriptions over to streams, and decides how mutations may be sent. */
const FAST_KINDS: ReadonlySet<string> = new Set(['query']);

type FastContext = GraphQLServerContext & {
  readonly headers: HeaderSource;
  readonly service: Service;
};

/** Releases the connections before it returns: a caller who reads slowly holds none. */
export async function answerFast(
  fastRequest: FastRequest,
  { headers, service, ...context }: FastContext,
): Promise<Answer> {
  const { operation, operationName, extensions, mediaType } = fastRequest;
  const { anonymous, exchange } = context;
  const finish = (result: OperationResult): Answer => {
    noteErrors(service, context, result);
    return renderResult(result, mediaType, plansOf(extensions, anonymous));
  };
  try {
    const scope = await openGraphQLScope(headers, anonymous);
    const isKnown = scope.identity !== null;
    noteOperation(exchange.current, { document: operation.document, name: operationName, isKnown });
    const { result, body } = await runCached(scope, service.settings, fastRequest);
    return result ? finish(result) : goodAnswer(body, mediaType);
  } catch (error) {
    return finish({ data: null, errors: [renderError(error)] });
  } finally {
    await anonymous.reads.end();
  }
}

/** Media types of responses by common `accept` headers; Yoga negotiates all others. */
const ACCEPTED: ReadonlyMap<string, MediaType> = new Map([
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
]);

/** Returns the document; null: there is none, or it is invalid, and Yoga reports why. */
function textOf(documents: Documents, params: Params): string | null {
  try {
    return documents.textOf(params);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

type Params = {
  readonly query: unknown;
  readonly documentId: unknown;
  readonly operationName: string | null;
  readonly variables: Variables;
  readonly extensions: Readonly<Record<string, unknown>> | null;
};

/** Parses a body; null: the request cannot be answered on the fast path. */
function parseParams(body: Buffer): Params | null {
  const params = parseObject(body);
  if (params === null) return null;
  const { query, documentId, operationName = null, ...rest } = params;
  const { variables = null, extensions = null, ...others } = rest;
  if (Object.keys(others).length > 0) return null;
  if (operationName !== null && typeof operationName !== 'string') return null;
  if (variables !== null && !isObject(variables)) return null;
  if (extensions !== null && !isObject(extensions)) return null;
  return { query, documentId, operationName, variables: variables ?? {}, extensions };
}

function parseObject(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isObject(value) ? value : null;
  } catch {
    // Yoga reports what is wrong with it.
    return null;
  }
}
