import type { AnonymousScope } from '../../resolvers/request-scope.ts';
import { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import { schema } from '../../schema/schema.ts';
import { Documents } from '../graphql/documents.ts';
import { answerFast, fastRequestOf } from '../graphql/fast-path.ts';
import { type AnswerSlot, openGraphQLScope } from '../graphql/graphql-scope.ts';
import { limitsOf } from '../graphql/guard-graphql.ts';
import { explainRefusal } from '../graphql/render-result.ts';
import { createGraphQL } from '../graphql/yoga.ts';
import { type Answer, type Exchange, headersOf } from '../http/http-exchange.ts';
import { requireOwnSite } from '../http/other-sites.ts';
import { GRAPHQL_PATH } from '../http/paths.ts';
import { receiveBody } from '../http/receive-body.ts';
import { send, withEntityTag } from '../http/send-answer.ts';
import type { Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';

/** Creates the route of GraphQL over HTTP. Yoga answers all operations that are not compiled. */
export function graphqlRoute(
  service: Service,
  live: Subscriptions,
): (exchange: Exchange) => Promise<void> {
  const { log, settings, metrics, failures } = service;
  const trusted = new Map([...service.pageDocuments, ...service.documents]);
  const documents = new Documents(trusted, settings);
  const compiled = new CompiledQueries(schema, settings.compileAfter);
  for (const text of trusted.values()) compiled.trust(text);
  const fastPath = { compiled, documents, limits: limitsOf(settings) };
  const yoga = createGraphQL({ log, settings, metrics, failures, compiled, documents });
  return async (exchange) => {
    const { request, method, signal } = exchange;
    const contentType = requireOwnSite(exchange);
    const seconds = settings.queryTimeoutSeconds;
    const mayAsk = () =>
      withScope(service, exchange, seconds, (anonymous) =>
        openGraphQLScope(headersOf(request), anonymous),
      );
    const body = hasBody(method)
      ? await receiveBody(request, settings.graphqlBodyBytes, mayAsk)
      : null;
    const isPlain = method === 'POST' && contentType === 'application/json';
    const fastRequest = isPlain && body && fastRequestOf(fastPath, request, body);
    metrics.graphql(fastRequest ? 'hot' : 'yoga');
    const slot: AnswerSlot = { opened: null, body: null };
    const answer = await withScope(service, exchange, seconds, (anonymous) => {
      slot.opened = null;
      slot.body = null;
      return fastRequest
        ? answerFast(fastRequest, {
            headers: headersOf(request),
            anonymous,
            exchange,
            service,
            slot,
          })
        : askYoga(yoga, { exchange, contentType, body, anonymous, slot });
    });
    if (signal.aborted) return;
    if (slot.opened) live.open(exchange, slot.opened);
    else await send(exchange, withEntityTag(exchange, answer));
  };
}

const hasBody = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

type YogaRequest = {
  readonly exchange: Exchange;
  readonly contentType: string | undefined;
  readonly body: Buffer | null;
  readonly anonymous: AnonymousScope;
  readonly slot: AnswerSlot;
};

async function askYoga(
  yoga: ReturnType<typeof createGraphQL>,
  { exchange, contentType, body, anonymous, slot }: YogaRequest,
): Promise<Answer> {
  const { request, method, query, signal } = exchange;
  const search = query.size > 0 ? `?${query}` : '';
  const given = {
    ...request.headers,
    'content-type': contentType,
    // The body has been decompressed.
    'content-encoding': undefined,
    'content-length': undefined,
  };
  const headers = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
  );
  const response = await yoga.fetch(
    `http://localhost${GRAPHQL_PATH}${search}`,
    { method, headers, signal, ...(body && { body: new Uint8Array(body) }) },
    { anonymous, exchange, slot },
  );
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return explainRefusal({
    status: response.status,
    headers: endToEndHeaders(response.headers),
    body: (isJson && slot.body) || text,
  });
}

/** RFC 9110, 7.6.1: these describe one connection, which only the server knows. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

/**
 * Returns the headers of a response that is sent as a whole. Yoga sets headers for sending a stream
 * (`accept: multipart/mixed`); together with our content-length they would not be valid HTTP.
 */
const endToEndHeaders = (headers: Iterable<[string, string]>): Record<string, string> =>
  Object.fromEntries(
    [...headers]
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !HOP_BY_HOP.has(name)),
  );
