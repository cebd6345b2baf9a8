import { serviceError } from '../../domain/errors.ts';
import { UPLOAD_PATH } from '../../rest/endpoints/upload.ts';
import { isRestPath, renderError } from '../../rest/handle-request.ts';
import { OPENAPI_PATH, openApi } from '../../rest/openapi/openapi.ts';
import { signedInTest } from '../graphql/graphql-scope.ts';
import type { Answer, Exchange } from '../http/http-exchange.ts';
import { NO_ROUTE } from '../http/observe-request.ts';
import { GRAPHQL_PATH, MCP_PATH, SESSION_PATH } from '../http/paths.ts';
import { send, withEntityTag } from '../http/send-answer.ts';
import type { Dashboard } from '../pages/dashboard.ts';
import { createExplorer, type ExplorerOptions, NO_EXPLORER } from '../pages/explorer.ts';
import type { Service } from '../service/service.ts';
import type { Subscriptions } from '../subscriptions/subscriptions.ts';
import { graphqlRoute } from './graphql-route.ts';
import { mcpRoute } from './mcp-route.ts';
import { buttonOf, openProvider, providerRoutes } from './provider-routes.ts';
import type { Route } from './respond.ts';
import { restRoute } from './rest-route.ts';
import { sessionRoute } from './session-route.ts';
import { stateRoutes } from './state-routes.ts';
import { uploadRoute } from './upload-route.ts';

/** The pages for human users. */
export type Pages = {
  readonly explorer: ExplorerOptions;
  /** null: switched off, or not built. */
  readonly dashboard: Dashboard | null;
};

/** Returns a function that finds the route of a request. It tries the routes in the order below. */
export function createRouter(
  service: Service,
  { pages, live }: { pages: Pages; live: Subscriptions },
): (exchange: Exchange) => Route {
  const { settings } = service;
  const { dashboard } = pages;
  const provider = openProvider(settings);
  const maySee = settings.explorer === 'signed-in' ? signedInTest(service) : null;
  const explorer =
    settings.explorer === 'off'
      ? NO_EXPLORER
      : createExplorer(pages.explorer, {
          maySee,
          elsewhere: provider && buttonOf(provider),
          hasDashboard: dashboard !== null,
        });
  const rest = restRoute(service);
  const graphql = graphqlRoute(service, live);
  const mcp = mcpRoute(service);
  const session = sessionRoute(service, provider);
  const upload = uploadRoute(service);
  const byPath = new Map<string, Route>(
    [
      TO_EXPLORER,
      openApiRoute(settings),
      ...providerRoutes(service, provider),
      ...stateRoutes(service),
    ].map((route) => [route.name, route]),
  );
  return (exchange) => {
    const { path } = exchange;
    if (isRestPath(path)) return { name: path, answer: rest };
    if (dashboard?.serves(exchange)) return { name: 'dashboard', answer: dashboard.answer };
    if (explorer.serves(exchange)) return { name: 'explorer', answer: explorer.answer };
    if (path === GRAPHQL_PATH) return { name: path, answer: graphql };
    if (path === MCP_PATH) return { name: path, answer: mcp };
    if (path === UPLOAD_PATH) return { name: path, answer: upload };
    if (path === SESSION_PATH) return { name: path, answer: session };
    const route = byPath.get(path) ?? NOTHING_HERE;
    // A proxy may block `/metrics` from outside: `/x/../metrics` must not bypass it.
    return route.always && !exchange.isPathAsWritten ? NOTHING_HERE : route;
  };
}

const TO_EXPLORER: Route = {
  name: '/',
  answer: async (exchange) =>
    send(exchange, { status: 302, headers: { location: GRAPHQL_PATH }, body: '' }),
};

/** Creates the route of the description of the REST endpoints, which needs no log-in. */
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
