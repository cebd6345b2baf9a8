import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isRestPath } from '../../rest/handle-request.ts';
import type { RequestAdmission } from '../admission/admission-control.ts';
import { isWaiting } from '../connections/expectation.ts';
import type { Service } from '../service/service.ts';
import { graphqlErrorType, refusalOf } from './errors.ts';
import { measureRequest } from './observe-request.ts';
import { answerCors } from './other-sites.ts';
import { GRAPHQL_PATH, MCP_PATH } from './paths.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

type Arrival = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly throttle: RequestAdmission;
};

const BUSY = serviceError('busy');

/**
 * Refuses requests beyond capacity before anything is built for them. Under overload most requests
 * are refused, and refusing them takes time from those that were admitted. Returns false if there
 * is capacity, or if the request is not a simple request for data: the code that answers it then
 * refuses it with the same message.
 */
export function refuseAtOnce(service: Service): (arrival: Arrival) => boolean {
  const { metrics, settings, log, tracing } = service;
  const slowCallerMs = settings.slowCallerSeconds * 1000;
  return ({ request, response, requestId, throttle }) => {
    const path = mayStayUnread(request, response) ? dataPath(request) : null;
    // Requests that are traced or logged one by one need the full exchange.
    if (path === null || tracing || log.isLevelEnabled('debug') || throttle.admits()) return false;
    measureRequest(service, response, path);
    metrics.error(BUSY.kind);
    const { status, headers, body } = busyAnswer(path, request);
    answerCors({ request, response }, settings.corsOrigins);
    response.setTimeout(slowCallerMs);
    response.writeHead(status, [...headers, 'x-request-id', requestId]);
    response.end(body);
    return true;
  };
}

/**
 * Whether a body need not be read before the response. A connection closed with unread input is
 * reset, and the caller may never see the response: if the request is the connection's last, its
 * body must be read first.
 */
const mayStayUnread = (request: IncomingMessage, { shouldKeepAlive }: ServerResponse): boolean =>
  Number(request.headers['content-length'] ?? 0) === 0 || (shouldKeepAlive && !isWaiting(request));

/** Returns the path of a simple request for data, as written; null: any other request. */
function dataPath({ method, url = '', headers }: IncomingMessage): string | null {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const isData = isRestPath(path) ? method === 'GET' || method === 'POST' : isQuery(path, method);
  if (!isData || headers['transfer-encoding'] !== undefined) return null;
  // Node reads the rest of a body, however large it is, so large ones are excluded.
  return Number(headers['content-length'] ?? 0) <= LIMITS.graphqlBodyBytes ? path : null;
}

/** Only a POST: a GET may also be for a page. */
const isQuery = (path: string, method = ''): boolean =>
  (path === GRAPHQL_PATH || path === MCP_PATH) && method === 'POST';

/** Headers are alternating names and values. */
type BusyAnswer = { readonly status: number; readonly headers: string[]; readonly body: string };

/** By API or, for GraphQL, by media type. */
const busyAnswers = new Map<string, BusyAnswer>();

function surfaceOf(path: string, { headers }: IncomingMessage): string {
  if (path === GRAPHQL_PATH) return graphqlErrorType(headers.accept);
  return path === MCP_PATH ? 'MCP' : 'REST';
}

function busyAnswer(path: string, request: IncomingMessage): BusyAnswer {
  const key = surfaceOf(path, request);
  const known = busyAnswers.get(key);
  if (known) return known;
  const { status, headers, body } = refusalOf({ path, request }, BUSY);
  const length = String(Buffer.byteLength(body));
  const all = [...SECURITY_HEADERS, ...Object.entries(headers), ['content-length', length]];
  const answer = { status, headers: all.flat(), body: String(body) };
  busyAnswers.set(key, answer);
  return answer;
}
