import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type FetchAPI, processRegularResult } from 'graphql-yoga';
import { ServiceError } from '../../domain/errors.ts';
import { isObject } from '../../domain/is-object.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import type { HeaderSource } from '../../schema/documents/credentials.ts';
import { renderError, withCode } from '../../schema/documents/render-error.ts';
import { costFault } from '../../schema/limits/cost-fault.ts';
import { documentFault } from '../../schema/limits/document-fault.ts';
import type { GraphQLLimits } from '../../schema/limits/graphql-limits.ts';
import { nestingFault } from '../../schema/limits/nesting-fault.ts';
import type { Documents } from '../documents/documents.ts';
import type { Answer } from '../http/http-exchange.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { withPlans } from './graphql.ts';
import { type GraphQLServerContext, openGraphQLScope } from './graphql-scope.ts';
import { noteErrors, noteOperation } from './observe-graphql.ts';
import { type CompiledRequest, RenderedResult, runOrRemember } from './remembered-results.ts';

/** A request for a compiled operation, with the media type of its response. */
type HotRequest = CompiledRequest & { readonly mediaType: MediaType };

type HotWays = {
  readonly compiled: CompiledQueries;
  readonly documents: Documents;
  readonly limits: GraphQLLimits;
};

/**
 * Prepares a request for the fast path, which most requests take: a compiled operation, POSTed as
 * plain JSON, is answered without Yoga's detour through the types of `fetch`. Returns null for any
 * unusual request. It goes through Yoga, which is the reference: scope, errors and rendering are
 * the same functions.
 */
export function hotRequest(
  { compiled, documents, limits }: HotWays,
  request: IncomingMessage,
  body: Buffer,
): HotRequest | null {
  const mediaType = ACCEPTED.get(request.headers.accept ?? '*/*');
  if (!mediaType) return null;
  const params = parseParams(body);
  if (params === null || nestingFault(params)) return null;
  const text = textOf(documents, params);
  const query = text === null ? null : compiled.find(text, params.operationName);
  const coerced = query && compiled.coerce(query, params.variables);
  if (!query || !coerced) return null;
  const { document } = query;
  const isOverLimit =
    documentFault(document, limits) ?? costFault(document, params.operationName, coerced, limits);
  if (isOverLimit) return null;
  const { operationName, variables, extensions } = params;
  return { query, operationName, variables, coerced, extensions, mediaType };
}

type HotContext = GraphQLServerContext & {
  readonly headers: HeaderSource;
  readonly metrics: Metrics;
};

/** Releases the connections before it returns: a caller who reads slowly holds none. */
export async function answerHot(
  hot: HotRequest,
  { headers, metrics, ...context }: HotContext,
): Promise<Answer> {
  const { query, operationName, extensions, mediaType } = hot;
  const { anonymous, exchange } = context;
  const finish = (result: ExecutionResult): Answer => {
    for (const error of result.errors ?? []) withCode(error);
    noteErrors(metrics, context, result);
    return render(withPlans(result, extensions, anonymous), mediaType);
  };
  try {
    const scope = await openGraphQLScope(headers, anonymous);
    const isKnown = scope.identity !== null;
    noteOperation(exchange.current, { document: query.document, name: operationName, isKnown });
    const result = await runOrRemember(scope, hot);
    if (result instanceof RenderedResult) return asItIs(result, mediaType);
    return finish(masked(result));
  } catch (error) {
    return finish({ errors: [renderError(error)] });
  } finally {
    await anonymous.reads.end();
  }
}

/** Replaces the errors of a result with what callers may see of them. */
export function masked(result: ExecutionResult): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error): GraphQLError => renderError(error)) };
}

type MediaType = 'application/json' | 'application/graphql-response+json';

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

/** Keeps what Yoga's renderer passes to `new Response`, the only way in which it uses the class. */
class PlainResponse {
  readonly body: string;
  readonly init: { readonly status: number; readonly headers: Readonly<Record<string, string>> };

  constructor(body: string, init: PlainResponse['init']) {
    this.body = body;
    this.init = init;
  }
}

// The text of `fetch`'s own Response could only be read back as a stream.
const PLAIN_RESPONSES = { Response: PlainResponse } as unknown as FetchAPI;

/** Does the same as `render`, without encoding the same text again and again. */
function asItIs({ body }: RenderedResult, mediaType: MediaType): Answer {
  const { status, headers } = GOOD_ANSWERS[mediaType];
  return { status, headers, body };
}

function render(result: ExecutionResult, mediaType: MediaType): Answer {
  const response: unknown = processRegularResult(result, PLAIN_RESPONSES, mediaType);
  if (!(response instanceof PlainResponse)) throw new Error('Yoga renders in another way by now');
  const { body, init } = response;
  const headers = Object.fromEntries(
    Object.entries(init.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { status: init.status, headers, body };
}

/** Renders a result as JSON, without the HTTP extensions of its errors. */
export const renderResult = (result: ExecutionResult): string =>
  String(render(result, 'application/json').body);

const GOOD_ANSWERS = {
  'application/json': render({ data: null }, 'application/json'),
  'application/graphql-response+json': render({ data: null }, 'application/graphql-response+json'),
} satisfies Record<MediaType, Answer>;
