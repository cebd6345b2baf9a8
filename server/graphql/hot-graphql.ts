import type { IncomingMessage } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type FetchAPI, processRegularResult } from 'graphql-yoga';
import { ServiceError } from '../../domain/errors.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import type { HeaderSource } from '../../schema/documents/credentials.ts';
import { renderError, withCode } from '../../schema/documents/render-error.ts';
import { costFault } from '../../schema/limits/cost-fault.ts';
import { documentFault } from '../../schema/limits/document-fault.ts';
import type { GraphQLLimits } from '../../schema/limits/graphql-limits.ts';
import type { Documents } from '../documents/documents.ts';
import type { Answer } from '../http/http-exchange.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { withPlans } from './graphql.ts';
import { type GraphQLServerContext, openGraphQLScope } from './graphql-scope.ts';
import { noteErrors, noteOperation } from './observe-graphql.ts';
import { type AskedCompiled, RenderedResult, runOrRemember } from './remembered-results.ts';

/** An operation that is compiled, with what a request says besides. */
type HotRequest = AskedCompiled & { readonly mediaType: MediaType };

type HotWays = {
  readonly compiled: CompiledQueries;
  readonly documents: Documents;
  readonly limits: GraphQLLimits;
};

/**
 * The way of most requests: an operation that is compiled, POSTed as plain JSON, is answered
 * without Yoga's detour over the types of `fetch`. Whatever is unusual about a request – null here
 * – goes through Yoga, which is the reference: scope, errors and rendering are the same functions.
 */
export function hotRequest(
  { compiled, documents, limits }: HotWays,
  request: IncomingMessage,
  body: Buffer,
): HotRequest | null {
  const mediaType = ACCEPTED.get(request.headers.accept ?? '*/*');
  if (!mediaType) return null;
  const params = parseParams(body);
  if (params === null) return null;
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

type Asked = GraphQLServerContext & {
  readonly headers: HeaderSource;
  readonly metrics: Metrics;
};

/** Gives the connections back before it returns: a caller who reads slowly holds none. */
export async function answerHot(
  request: HotRequest,
  { headers, metrics, ...context }: Asked,
): Promise<Answer> {
  const { query, operationName, extensions, mediaType } = request;
  const { anonymous, asked } = context;
  const finish = (result: ExecutionResult): Answer => {
    for (const error of result.errors ?? []) withCode(error);
    noteErrors(metrics, context, result);
    return render(withPlans(result, extensions, anonymous), mediaType);
  };
  try {
    const scope = await openGraphQLScope(headers, anonymous);
    const isKnown = scope.identity !== null;
    noteOperation(asked.current, { document: query.document, name: operationName, isKnown });
    const result = await runOrRemember(scope, request);
    if (result instanceof RenderedResult) return asItIs(result, mediaType);
    return finish(masked(result));
  } catch (error) {
    return finish({ errors: [renderError(error)] });
  } finally {
    await anonymous.reads.end();
  }
}

/** Errors as callers see them. */
export function masked(result: ExecutionResult): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error): GraphQLError => renderError(error)) };
}

type MediaType = 'application/json' | 'application/graphql-response+json';

/** What clients ask to be answered with; what else there may be is negotiated by Yoga. */
const ACCEPTED: ReadonlyMap<string, MediaType> = new Map([
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
]);

/** null: there is none, or something is wrong with it, and Yoga says what. */
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

/** null: nothing that could be answered here. */
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
    // Yoga says what is wrong with it.
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What Yoga's own renderer puts into a `Response`, as it is: all that it does is `new` one. */
class PlainResponse {
  readonly body: string;
  readonly init: { readonly status: number; readonly headers: Readonly<Record<string, string>> };

  constructor(body: string, init: PlainResponse['init']) {
    this.body = body;
    this.init = init;
  }
}

// `fetch`'s own Response would have to be read again, as a stream, to get at the text.
const PLAIN_RESPONSES = { Response: PlainResponse } as unknown as FetchAPI;

/** As `render` would, without making bytes of text again and again. */
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

/** As JSON, without what errors say of HTTP. */
export const renderResult = (result: ExecutionResult): string =>
  String(render(result, 'application/json').body);

const GOOD_ANSWERS = {
  'application/json': render({ data: null }, 'application/json'),
  'application/graphql-response+json': render({ data: null }, 'application/graphql-response+json'),
} satisfies Record<MediaType, Answer>;
