import { type CurrentRequest, currentRequest } from './current-request.ts';
import type { Exchange } from './http-exchange.ts';
import type { Service } from './service.ts';

/** How the route of addresses is called that lead nowhere. */
export const NO_ROUTE = 'none';

/** Runs `respond` as the work of one request, which is measured, logged and traced as such. */
export function observeRequest(
  { log, metrics, tracing }: Service,
  exchange: Exchange,
  known: { readonly route: string; readonly caller: string },
  respond: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  metrics.requestBegins();
  const { request: asked, response, requestId, method, path, query } = exchange;
  const { route, caller } = known;
  const span = tracing?.startRequest({ method, route, requestId, headers: asked.headers }) ?? null;
  const request: CurrentRequest = { requestId, span, user: null, operation: null };
  response.once('close', () => {
    const seconds = (performance.now() - startedAt) / 1000;
    const status = response.writableFinished ? response.statusCode : CALLER_GONE;
    const { user, operation } = request;
    metrics.request(route, status, seconds);
    if (route === NO_ROUTE) metrics.error('noSuchPath');
    if (operation !== null) metrics.operation(operation, seconds);
    span?.end({ status, operation });
    const ms = Math.round(seconds * 1000);
    const parameters = withoutSecrets(query);
    // This runs when the socket says so, and not as work of the request.
    const traceId = span && { traceId: span.traceId };
    const line = { requestId, ...traceId, caller, user, method, path, parameters, operation };
    // Of those there was no room for, one line tells of many.
    const level = exchange.gate.isRefused ? 'debug' : levelOf(route, status);
    log[level]({ ...line, status, ms }, 'request');
  });
  return currentRequest.run(request, respond);
}

/** Of requests whose caller did not wait for the answer; nginx calls them so too. */
const CALLER_GONE = 499;

/** Asked every few seconds, and of no interest as long as all is well. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

const levelOf = (route: string, status: number): 'debug' | 'info' =>
  PROBES.has(route) && status < 400 ? 'debug' : 'info';

/** Decision 10: tokens are never logged. */
function withoutSecrets(query: URLSearchParams): Record<string, string> {
  const shown = [...query].filter(([name]) => !name.toLowerCase().startsWith('api_token'));
  return Object.fromEntries(shown);
}
