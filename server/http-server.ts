import { createServer, type Server } from 'node:http';
import proxyAddress from 'proxy-addr';
import { ERRORS, ServiceError, serviceError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { SnapshotMoved } from '../resolvers/loaders/request-reads.ts';
import { handleRest, isRestPath, renderError, type WithScope } from '../rest/handle-request.ts';
import { answerCors } from './cors.ts';
import { createExplorer, type ExplorerOptions } from './explorer.ts';
import { createGraphQL, GRAPHQL_PATH } from './graphql.ts';
import { type Answer, type Exchange, openExchange, readBody, send } from './http-exchange.ts';
import { NO_ROUTE, observeRequest } from './observe-request.ts';
import { readiness } from './readiness.ts';
import { requestIdOf } from './request-id.ts';
import type { Service } from './service.ts';

/** A route's name in metrics and logs, and what it does. */
type Route = { readonly name: string; readonly answer: (exchange: Exchange) => Promise<void> };

/** The whole HTTP surface. Routes are tried in the order they are listed in. */
export function createHttpServer(service: Service, explorer: ExplorerOptions): Server {
  const { metrics } = service;
  // Whose X-Forwarded-For and x-request-id are believed.
  const isTrusted = proxyAddress.compile([...service.settings.trustProxy]);
  const routeOf = createRouter(service, explorer, () =>
    metrics.text().then(plain(metrics.contentType)),
  );
  return createServer((request, response) => {
    const exchange = openExchange(request, response, requestIdOf(request, isTrusted));
    response.setHeader('x-request-id', exchange.requestId);
    const caller = proxyAddress(request, isTrusted);
    const route = routeOf(exchange);
    const known = { route: route.name, caller };
    observeRequest(service, exchange, known, () => respond(service, exchange, route));
  });
}

async function respond(service: Service, exchange: Exchange, route: Route): Promise<void> {
  try {
    if (answerCors(exchange, service.settings.corsOrigins)) return;
    await route.answer(exchange);
  } catch (error) {
    if (exchange.signal.aborted) return;
    service.metrics.error('internal');
    service.log.error({ err: error }, 'a request failed');
    if (exchange.response.headersSent) exchange.response.destroy();
    else await send(exchange, renderError(new ServiceError('internal', ERRORS.internal.message)));
  }
}

function createRouter(
  service: Service,
  explorerOptions: ExplorerOptions,
  metricsText: () => Promise<Answer>,
): (exchange: Exchange) => Route {
  const graphql = graphqlRoute(service);
  const explorer = createExplorer(explorerOptions);
  const rest = restRoute(service);
  const fixed = new Map<string, Route>([
    ['/', { name: '/', answer: async (exchange) => send(exchange, TO_EXPLORER) }],
    ['/healthz', { name: '/healthz', answer: async (exchange) => send(exchange, ok('alive')) }],
    [
      '/readyz',
      { name: '/readyz', answer: async (exchange) => send(exchange, await readyAnswer(service)) },
    ],
    [
      '/metrics',
      { name: '/metrics', answer: async (exchange) => send(exchange, await metricsText()) },
    ],
  ]);
  return (exchange) => {
    const { path } = exchange;
    if (isRestPath(path)) return { name: path, answer: rest };
    if (explorer.serves(exchange)) return { name: 'explorer', answer: explorer.answer };
    if (path === GRAPHQL_PATH) return { name: path, answer: graphql };
    return fixed.get(path) ?? NOTHING_HERE;
  };
}

const NOTHING_HERE: Route = {
  name: NO_ROUTE,
  async answer(exchange) {
    await send(exchange, renderError(serviceError('noSuchPath', { path: exchange.path })));
  },
};

const restRoute = (service: Service) => async (exchange: Exchange) => {
  const { request, path, method, query, signal } = exchange;
  const withScope: WithScope = async (timeoutSeconds, work) => {
    const attempt = async (mayReadAlone: boolean) => {
      const seconds = timeoutSeconds(service.settings);
      const scope = service.openScope(seconds, signal, { mayReadAlone });
      try {
        return await work(scope);
      } finally {
        await scope.reads.end();
      }
    };
    try {
      return await attempt(true);
    } catch (error) {
      if (!(error instanceof SnapshotMoved)) throw error;
      return attempt(false);
    }
  };
  const answer = await handleRest(
    {
      ...{ path, method, query },
      contentType: request.headers['content-type'] ?? null,
      body: () => readBody(request, LIMITS.restBodyBytes),
    },
    withScope,
    (error) => {
      service.metrics.error(error.kind);
      // Behind a cause is what the caller must not see and the operator must.
      if (error.cause === undefined) return;
      service.log.warn({ err: error }, 'a request was refused by the backend');
    },
  );
  await send(exchange, answer);
};

function graphqlRoute(service: Service): (exchange: Exchange) => Promise<void> {
  const yoga = createGraphQL(service.log, service.metrics);
  return async (exchange: Exchange) => {
    const { request, response, signal } = exchange;
    const anonymous = service.openScope(service.settings.queryTimeoutSeconds, signal);
    try {
      const answer = await yoga.handleNodeRequestAndResponse(request, response, { anonymous });
      if (signal.aborted) return;
      const headers = Object.fromEntries(answer.headers);
      const body = await answer.text();
      await send(exchange, explained({ status: answer.status, headers, body }));
    } finally {
      await anonymous.reads.end();
    }
  };
}

/** Yoga says nothing more to a content type it does not know than 415. */
function explained(answer: Answer): Answer {
  if (answer.status !== 415 || answer.body.length > 0) return answer;
  const message = 'The content type is not supported, use application/json';
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] });
  return { ...answer, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

async function readyAnswer(service: Service): Promise<Answer> {
  const problem = await readiness(service);
  if (problem === null) return ok('ready');
  return { ...ok(problem), status: 503 };
}

const plain =
  (contentType: string) =>
  (body: string): Answer => ({
    status: 200,
    headers: { 'content-type': contentType },
    body,
  });

const ok = (text: string): Answer => plain('text/plain; charset=utf-8')(`${text}\n`);

const TO_EXPLORER: Answer = { status: 302, headers: { location: GRAPHQL_PATH }, body: '' };
