import type { ServerResponse } from 'node:http';
import type { Service } from '../service/service.ts';
import { nameOf } from '../telemetry/current-request.ts';
import type { Exchange } from './http-exchange.ts';

/** How the route of addresses is called that lead nowhere. */
export const NO_ROUTE = 'none';

/** Runs `respond` as the work of one request, which is measured, logged and traced as such. */
export function observeRequest(
  service: Service,
  exchange: Exchange,
  known: { readonly route: string; readonly caller: string },
  respond: () => Promise<void>,
): Promise<void> {
  const { tracing } = service;
  const { request, response, current, method } = exchange;
  current.streamOpened = measureRequest(service, response, known.route, (status, seconds) =>
    noteEnd(service, exchange, known, { status, seconds }),
  );
  if (!tracing) return respond();
  const { requestId } = current;
  const { headers } = request;
  const span = tracing.startRequest({ method, route: known.route, requestId, headers });
  current.span = span;
  return tracing.within(span, respond);
}

/**
 * Counts a request and how long it takes. `onEnd`: when its answer is out, or its caller gone.
 * Gives what to call when it is answered by a stream: until then it has taken, and that its caller
 * goes away in the end is how a stream ends.
 */
export function measureRequest(
  { metrics }: Pick<Service, 'metrics'>,
  response: ServerResponse,
  route: string,
  onEnd: (status: number, seconds: number) => void = () => undefined,
): () => void {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  let isStream = false;
  metrics.requestBegins();
  response.once('close', () => {
    const seconds = elapsed();
    const isAnswered = isStream || response.writableFinished;
    const status = isAnswered ? response.statusCode : CALLER_GONE;
    if (!isStream) metrics.request(route, status, seconds);
    onEnd(status, seconds);
  });
  return () => {
    isStream = true;
    metrics.request(route, STREAM_OPENED, elapsed());
  };
}

const STREAM_OPENED = 200;

function noteEnd(
  { log, metrics }: Service,
  { method, path, query, current, gate }: Exchange,
  { route, caller }: { readonly route: string; readonly caller: string },
  { status, seconds }: { readonly status: number; readonly seconds: number },
): void {
  const { user, operation, span } = current;
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
