import type { ServerResponse } from 'node:http';
import type { Service } from '../service/service.ts';
import { nameOf } from '../telemetry/current-request.ts';
import type { Exchange } from './http-exchange.ts';
import type { AddressLog } from './logged-address.ts';

/** The name of the route of paths that do not exist. */
export const NO_ROUTE = 'none';

/** What the log names of a request, besides the request itself. */
type Observed = {
  readonly route: string;
  readonly caller: string;
  readonly addressOf: AddressLog;
};

/** Runs `respond` as the work of one request, and measures, logs and traces it. */
export function observeRequest(
  service: Service,
  exchange: Exchange,
  known: Observed,
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
 * Counts a request and measures how long it takes. `onEnd` is called when its response is sent or
 * its caller has gone. Returns a function to call when the request is answered with a stream: the
 * measured time ends there, and a caller that goes away later is the normal end of a stream.
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
  exchange: Exchange,
  { route, caller, addressOf }: Observed,
  { status, seconds }: { readonly status: number; readonly seconds: number },
): void {
  const { method, current, gate } = exchange;
  const { user, operation, span } = current;
  if (route === NO_ROUTE) metrics.error('noSuchPath');
  if (operation !== null) metrics.operation(operation, seconds);
  span?.end({ status, operation });
  // Requests refused for lack of capacity are logged together, many in one line.
  const level = gate.isRefused ? 'debug' : levelOf(route, status);
  if (!log.isLevelEnabled(level)) return;
  const ms = Math.round(seconds * 1000);
  const line = { ...nameOf(current), caller, user, method, ...addressOf(exchange), operation };
  log[level]({ ...line, status, ms }, 'request');
}

/** The status of requests whose caller did not wait for the response; nginx uses it, too. */
const CALLER_GONE = 499;

/** Paths that are requested every few seconds, and of no interest as long as all is well. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

const levelOf = (route: string, status: number): 'debug' | 'info' =>
  PROBES.has(route) && status < 400 ? 'debug' : 'info';
