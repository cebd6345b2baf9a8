import { randomUUID } from 'node:crypto';
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { renderError } from '../../rest/handle-request.ts';
import type { Settings } from '../settings/settings.ts';
import type { Logger } from '../telemetry/log.ts';
import type { LastResponses } from './last-responses.ts';

type ConnectionSettings = Pick<
  Settings,
  'maxConnections' | 'headersSeconds' | 'slowCallerSeconds' | 'keepAliveSeconds'
>;

/** Returns the limits that `node:http` enforces itself. Work on a request has its own limits. */
export function connectionOptions(settings: ConnectionSettings): ServerOptions {
  return {
    maxHeaderSize: LIMITS.headerBytes,
    headersTimeout: headersSecondsOf(settings) * 1000,
    requestTimeout: settings.slowCallerSeconds * 1000,
    connectionsCheckingInterval: LIMITS.connectionCheckMs,
    keepAliveTimeout: settings.keepAliveSeconds * 1000,
    // Node's own refusal of a request without a host explains nothing; ours does.
    requireHostHeader: false,
    // A caller whose machine was switched off never closes its connection: TCP probes detect it.
    keepAlive: true,
    keepAliveInitialDelay: LIMITS.tcpProbeMs,
  };
}

/** Headers are part of the request, so they may not take longer than the whole request. */
const headersSecondsOf = ({ headersSeconds, slowCallerSeconds }: ConnectionSettings): number =>
  Math.min(headersSeconds, slowCallerSeconds);

/** Limits the number of connections, and answers input that is not a valid request. */
export function guardConnections(
  server: Server,
  settings: ConnectionSettings,
  { log, lastResponses }: { readonly log: Logger; readonly lastResponses: LastResponses },
): void {
  server.maxConnections = settings.maxConnections;
  // Node would silently drop headers beyond a count. Their bytes are limited already.
  server.maxHeadersCount = 0;
  server.on('connect', ({ socket }) => {
    // A pending response to an earlier request would be taken for the response to CONNECT.
    if (lastResponses.get(socket)?.writableFinished === false) socket.destroy();
    else endWith(socket, rawAnswer(NO_TUNNEL, randomUUID()));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const last = lastResponses.get(socket);
    const isAnswering = last?.headersSent === true && !last.writableFinished;
    // The caller has gone, was answered already, or is reading a response that this would corrupt.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    const isInBody = last?.req.complete === false;
    const late = isInBody
      ? { 'headers or request': 'request', seconds: settings.slowCallerSeconds }
      : { 'headers or request': 'headers', seconds: headersSecondsOf(settings) };
    const refusal = refusalOf(error.code, late);
    const requestId = randomUUID();
    const { remoteAddress: caller } = socket;
    log.info(
      { requestId, caller, code: error.code, status: refusal.status },
      'no valid HTTP request was received',
    );
    endWith(socket, rawAnswer(refusal, requestId));
  });
}

const NO_TUNNEL = serviceError('methodNotAllowed', {
  method: 'CONNECT',
  methods: 'GET, HEAD or POST',
});

function refusalOf(
  code: string | undefined,
  late: Readonly<Record<string, string | number>>,
): ServiceError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return serviceError('tooSlow', late);
    case 'HPE_HEADER_OVERFLOW':
      return serviceError('headersTooLarge', { limit: LIMITS.headerBytes });
    default:
      return serviceError('notHttp');
  }
}

/** Renders a raw response: without a request there is no response object to write to. */
function rawAnswer(refusal: ServiceError, requestId: string): string {
  const { status, headers, body } = renderError(refusal);
  const lines = Object.entries({
    ...headers,
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_TEXTS[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/**
 * Sends an answer, discards further input and closes the connection. A connection closed with
 * unread input is reset, and the caller may never see the answer.
 */
function endWith(socket: Socket, answer: string): void {
  const timer = setTimeout(() => socket.destroy(), LIMITS.discardMs);
  socket.once('close', () => clearTimeout(timer));
  socket.removeAllListeners('data').on('error', () => socket.destroy());
  socket.end(answer);
  socket.resume();
}
