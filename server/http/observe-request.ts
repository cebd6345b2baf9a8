import type { ServerResponse } from 'node:http';
import { UPLOAD_PARAMETERS, UPLOAD_PATH } from '../../rest/endpoints/upload.ts';
import { isRestPath } from '../../rest/handle-request.ts';
import { ENDPOINT_DESCRIPTIONS, parametersOf } from '../../rest/openapi/openapi.ts';
import { API_TOKEN, USERNAME } from '../../rest/parameters/decode-common.ts';
import type { Service } from '../service/service.ts';
import type { Settings } from '../settings/settings.ts';
import { nameOf } from '../telemetry/tracing.ts';
import type { Exchange } from './http-exchange.ts';
import { GRAPHQL_PATH } from './paths.ts';

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
  const { method, current, throttle } = exchange;
  const { user, operation, span } = current;
  if (route === NO_ROUTE) metrics.error('noSuchPath');
  if (operation !== null) metrics.operation(operation, seconds);
  span?.end({ status, operation });
  // Requests refused for lack of capacity are logged together, many in one line.
  const level = throttle.isRefused ? 'debug' : levelOf(route, status);
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

type LoggedAddress = {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** How many other parameters there were; undefined: none. */
  readonly unknownParameters?: number;
};

/** Returns what the log shows of the address of a request. */
type AddressLog = (exchange: Pick<Exchange, 'path' | 'query'>) => LoggedAddress;

/**
 * Decision 10: tokens are never logged, however a caller misspells or misplaces them. So the log
 * shows known parameters only.
 */
export function addressLog(settings: Settings): AddressLog {
  const restNames = new Set([
    ...ENDPOINT_DESCRIPTIONS.flatMap((each) =>
      parametersOf(each, settings).map(({ name }) => name),
    ),
    'valid_input',
  ]);
  // A caller without an Authorization header sends both, and may mistake one for the other.
  for (const { name } of [API_TOKEN, USERNAME]) restNames.delete(name);
  const namesOf = (path: string): ReadonlySet<string> => {
    if (isRestPath(path)) return restNames;
    if (path === UPLOAD_PATH) return UPLOAD_NAMES;
    return path === GRAPHQL_PATH ? GRAPHQL_NAMES : NO_NAMES;
  };
  return ({ path, query }) => {
    const names = namesOf(path);
    const shown = [...query].filter(([name]) => names.has(name.replace(/\[\]$/, '')));
    const unknown = [...query.keys()].filter((name) => !EXPECTED.has(name)).length - shown.length;
    return {
      path: plainStart(path),
      parameters: Object.fromEntries(shown.map(([name, value]) => [name, ownPart(value)])),
      ...(unknown > 0 && { unknownParameters: unknown }),
    };
  };
}

const GRAPHQL_NAMES: ReadonlySet<string> = new Set(['operationName', 'documentId']);
const UPLOAD_NAMES: ReadonlySet<string> = new Set(UPLOAD_PARAMETERS.map(({ name }) => name));
const NO_NAMES: ReadonlySet<string> = new Set();

/** Known, but never shown: they are credentials, or may contain anything. */
const EXPECTED: ReadonlySet<string> = new Set([
  API_TOKEN.name,
  USERNAME.name,
  'query',
  'variables',
  'extensions',
]);

/** Cuts a path where a query without its `?` may begin: `/api/topper&api_token=…`. */
const plainStart = (path: string): string => path.replace(/[^\w/.~-].*$/s, '…');

/** Cuts a value where the next parameter begins if it was escaped, or joined by a second `?`. */
const ownPart = (value: string): string => value.replace(/[?&;#][^?&;#=]*=.*$/s, '…');
