import { nameOf } from './current-request.ts';
import type { Exchange } from './http-exchange.ts';
import type { Service } from './service.ts';

/** How the route of addresses is called that lead nowhere. */
export const NO_ROUTE = 'none';

/** Runs `respond` as the work of one request, which is measured, logged and traced as such. */
export function observeRequest(
  service: Service,
  exchange: Exchange,
  known: { readonly route: string; readonly caller: string },
  respond: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const { metrics, tracing } = service;
  const { request, response, current, method } = exchange;
  metrics.requestBegins();
  response.once('close', () => {
    noteEnd(service, exchange, known, (performance.now() - startedAt) / 1000);
  });
  if (!tracing) return respond();
  const { requestId } = current;
  const { headers } = request;
  const span = tracing.startRequest({ method, route: known.route, requestId, headers });
  current.span = span;
  return tracing.within(span, respond);
}

function noteEnd(
  { log, metrics }: Service,
  { response, method, path, query, current, gate }: Exchange,
  { route, caller }: { readonly route: string; readonly caller: string },
  seconds: number,
): void {
  const { user, operation, span } = current;
  const status = response.writableFinished ? response.statusCode : CALLER_GONE;
  metrics.request(route, status, seconds);
  if (route === NO_ROUTE) metrics.error('noSuchPath');
  if (operation !== null) metrics.operation(operation, seconds);
  span?.end({ status, operation });
  // Of those there was no room for, one line tells of many.
  const level = gate.isRefused ? 'debug' : levelOf(route, status);
  if (!log.isLevelEnabled(level)) return;
  const ms = Math.round(seconds * 1000);
  const parameters = withoutSecrets(query);
  const line = { ...nameOf(current), caller, user, method, path, parameters, operation };
  log[level]({ ...line, status, ms }, 'request');
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
