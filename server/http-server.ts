import { createServer, type Server } from 'node:http';
import proxyAddress from 'proxy-addr';
import { ERRORS, ServiceError, serviceError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Credentials } from '../resolvers/identity.ts';
import { handleRest, isRestPath, renderError } from '../rest/handle-request.ts';
import { OPENAPI_PATH, openApi } from '../rest/openapi.ts';
import { readCredentials } from '../schema/credentials.ts';
import { registerAdmission } from './admission/admission-metrics.ts';
import { Door } from './admission/door.ts';
import { RefusalLog } from './admission/refusal-log.ts';
import { connectionOptions, guardConnections } from './connections/connection-limits.ts';
import { limitPerAddress } from './connections/connections-per-address.ts';
import type { Drain } from './connections/drain.ts';
import { watchLastResponses } from './connections/last-responses.ts';
import { watchQueuedResponses } from './connections/queued-responses.ts';
import { warnOfUndeclaredProxy } from './connections/undeclared-proxy.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import { createExplorer, type ExplorerOptions, NO_EXPLORER } from './explorer/explorer.ts';
import { signedInTest } from './graphql/signed-in.ts';
import { answerCors } from './http/cors.ts';
import { withEntityTag } from './http/entity-tag.ts';
import { GRAPHQL_PATH } from './http/graphql-path.ts';
import { headersOf } from './http/headers-of.ts';
import { type Answer, type Exchange, openExchange, readBody, send } from './http/http-exchange.ts';
import { NO_ROUTE, observeRequest } from './http/observe-request.ts';
import { requireOwnCredentials } from './http/other-sites.ts';
import { refusalOf } from './http/refusal.ts';
import { refuseAtOnce } from './http/refuse-at-once.ts';
import { requestIdOf } from './http/request-id.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { Live } from './live/live.ts';
import { graphqlRoute } from './routes/graphql-route.ts';
import { readiness } from './service/readiness.ts';
import type { Service } from './service/service.ts';
import { withScope } from './service/with-scope.ts';

/** A route's name in metrics and logs, and what it does. */
type Route = {
  readonly name: string;
  readonly answer: (exchange: Exchange) => Promise<void>;
  /** It is answered however busy the server is. */
  readonly always?: true;
};

/** What there is for people. */
export type Pages = {
  readonly explorer: ExplorerOptions;
  /** null: switched off, or not built. */
  readonly dashboard: Dashboard | null;
};

/** The whole HTTP surface. Routes are tried in the order they are listed in. */
export function createHttpServer(
  service: Service,
  { pages, drain }: { pages: Pages; drain: Drain },
): Server {
  const { settings, metrics } = service;
  const door = new Door(settings, service.siblings?.logInFailures);
  const countRefusal = registerAdmission(metrics.registry, door.admission);
  const refusals = new RefusalLog(service.log);
  door.onRefusal = (why) => {
    countRefusal(why);
    refusals.refused();
  };
  const slowCallerMs = settings.slowCallerSeconds * 1000;
  // Whose X-Forwarded-For and x-request-id are believed.
  const isTrusted = proxyAddress.compile([...settings.trustProxy]);
  const live = new Live(service, door.admission);
  drain.begins(() => live.end());
  const graphql = graphqlRoute(service, live);
  const routeOf = createRouter(
    service,
    { pages, graphql },
    {
      metrics: () => metricsAnswer(service),
      readiness: () => readyAnswer(service),
    },
  );
  const refusedAtOnce = refuseAtOnce(service);
  const warnOfProxy = warnOfUndeclaredProxy(service.log, isTrusted);
  const server = createServer(connectionOptions(settings), (request, response) => {
    const caller = proxyAddress(request, isTrusted);
    warnOfProxy(request);
    const requestId = requestIdOf(request, isTrusted);
    const gate = door.visit(caller);
    if (refusedAtOnce({ request, response, requestId, gate })) return;
    // RFC 9112, 3.2: a request of HTTP/1.1 names the host.
    const isWhole = request.headers.host !== undefined || request.httpVersionMinor === 0;
    const terms = { requestId, log: service.log, gate, slowCallerMs };
    const exchange = openExchange(request, response, terms);
    response.setHeader('x-request-id', requestId);
    setSecurityHeaders(response);
    const found = routeOf(exchange);
    const route = isWhole ? found : { ...found, answer: refuseAsNoHttp };
    const known = { route: route.name, caller };
    const respondTo = () => respond(service, exchange, route);
    drain.hold(observeRequest(service, exchange, known, respondTo));
  });
  server.on('connection', () => door.accepted());
  watchQueuedResponses(server);
  const lastResponses = watchLastResponses(server);
  guardConnections(server, settings, { log: service.log, lastResponses });
  limitPerAddress(server, metrics.registry, {
    most: settings.maxConnectionsPerAddress,
    isProxy: (address) => isTrusted(address, 0),
    lastResponses,
  });
  drain.watch(server);
  server.once('close', () => refusals.end());
  return server;
}

async function refuseAsNoHttp(): Promise<never> {
  throw serviceError('notHttp');
}

async function respond(service: Service, exchange: Exchange, route: Route): Promise<void> {
  try {
    if (answerCors(exchange, service.settings.corsOrigins)) return;
    if (!route.always) {
      exchange.gate.enter();
      await exchange.gate.arrived();
      if (exchange.signal.aborted) return;
    }
    await route.answer(exchange);
  } catch (error) {
    if (exchange.signal.aborted) return;
    if (error instanceof ServiceError) {
      service.metrics.error(error.kind);
      return send(exchange, refusalOf(exchange, error));
    }
    service.metrics.error('internal');
    exchange.log.error({ err: error }, 'a request failed');
    if (exchange.response.headersSent) exchange.response.destroy();
    else await send(exchange, refusalOf(exchange, INTERNAL));
  } finally {
    const leave = () => exchange.gate.leave();
    // Else whoever asks and goes would never have too much under way, however much is done for it.
    if (exchange.signal.aborted) setTimeout(leave, LIMITS.goneCallerMs).unref();
    else leave();
  }
}

const INTERNAL = new ServiceError('internal', ERRORS.internal.message);

type Ways = { readonly pages: Pages; readonly graphql: Route['answer'] };

function createRouter(
  service: Service,
  { pages: { explorer: explorerOptions, dashboard }, graphql }: Ways,
  told: { metrics: () => Promise<Answer>; readiness: () => Promise<Answer> },
): (exchange: Exchange) => Route {
  const { settings } = service;
  const maySee = settings.explorer === 'signed-in' ? signedInTest(service) : null;
  const explorer =
    settings.explorer === 'off' ? NO_EXPLORER : createExplorer(explorerOptions, maySee);
  const rest = restRoute(service);
  const fixed = new Map<string, Route>([
    ['/', { name: '/', answer: async (exchange) => send(exchange, TO_EXPLORER) }],
    [OPENAPI_PATH, openApiRoute(settings)],
    always('/healthz', async () => ok('alive')),
    always('/readyz', told.readiness),
    always('/metrics', told.metrics),
  ]);
  return (exchange) => {
    const { path } = exchange;
    if (isRestPath(path)) return { name: path, answer: rest };
    if (dashboard?.serves(exchange)) return { name: 'dashboard', answer: dashboard.answer };
    if (explorer.serves(exchange)) return { name: 'explorer', answer: explorer.answer };
    if (path === GRAPHQL_PATH) return { name: path, answer: graphql };
    const route = fixed.get(path) ?? NOTHING_HERE;
    // What a proxy in front may keep inside is not reached by `/x/../metrics`.
    return route.always && !exchange.isPathAsWritten ? NOTHING_HERE : route;
  };
}

const always = (path: string, answer: () => Promise<Answer>): [string, Route] => [
  path,
  { name: path, always: true, answer: async (exchange) => send(exchange, await answer()) },
];

/** What the REST endpoints take and answer; nobody has to sign in to be told. */
function openApiRoute(settings: Service['settings']): Route {
  const answer: Answer = {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: `${JSON.stringify(openApi(settings), null, 2)}\n`,
  };
  return {
    name: OPENAPI_PATH,
    answer: async (exchange) => send(exchange, withEntityTag(exchange, answer)),
  };
}

const NOTHING_HERE: Route = {
  name: NO_ROUTE,
  async answer(exchange) {
    await send(exchange, renderError(serviceError('noSuchPath', { path: exchange.path })));
  },
};

const restRoute = (service: Service) => async (exchange: Exchange) => {
  const { request, path, method, query } = exchange;
  const answer = await handleRest(
    {
      ...{ path, method, query },
      contentType: request.headers['content-type'] ?? null,
      headerCredentials: () => headerCredentials(exchange),
      body: () => readBody(request, service.settings.restBodyBytes),
    },
    (timeoutSeconds, work) => withScope(service, exchange, timeoutSeconds(service.settings), work),
    (error) => {
      service.metrics.error(error.kind);
      // Behind a cause is what the caller must not see and the operator must.
      if (error.cause === undefined || error.status < 500) return;
      exchange.log.warn({ err: error }, 'a request was refused by the backend');
    },
  );
  await send(exchange, withEntityTag(exchange, answer));
};

/** What the `Authorization` header says, as GraphQL takes it. Error: `otherSite`. */
function headerCredentials(exchange: Exchange): Credentials | null {
  const credentials = readCredentials(headersOf(exchange.request));
  if (credentials) requireOwnCredentials(exchange);
  return credentials;
}

async function readyAnswer(service: Service): Promise<Answer> {
  const { problem, warnings } = await readiness(service);
  if (problem !== null) return { ...ok(problem), status: 503 };
  return ok(['ready', ...warnings.map((warning) => `warning: ${warning}`)].join('\n'));
}

async function metricsAnswer({ metrics, siblings, log }: Service): Promise<Answer> {
  try {
    const text = await (siblings ? siblings.metricsText() : metrics.text());
    return plain(metrics.contentType, text);
  } catch (err) {
    log.warn({ err }, 'the metrics of all processes could not be gathered');
    return { ...ok('the metrics of all processes could not be gathered'), status: 503 };
  }
}

const plain = (contentType: string, body: string): Answer => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
});

const ok = (text: string): Answer => plain('text/plain; charset=utf-8', `${text}\n`);

const TO_EXPLORER: Answer = { status: 302, headers: { location: GRAPHQL_PATH }, body: '' };
