import { randomUUID } from 'node:crypto';
import type { Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Counter, type Registry } from 'prom-client';
import { callerNetwork } from '../../domain/callers/caller-network.ts';
import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { renderError } from '../../rest/handle-request.ts';
import type { Settings } from '../settings/settings.ts';
import type { Logger } from '../telemetry/log.ts';
import { hasLongBody } from './long-bodies.ts';

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
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && last && hasLongBody(last.req)) return;
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

type Rules = {
  readonly most: number;
  /** Whether an address is a proxy. It carries many callers, who are known only per request. */
  readonly isProxy: (address: string) => boolean;
  readonly lastResponses: LastResponses;
};

/** Registers the metric of refused connections; returns a function that counts one. */
function registerConnectionLimits(registry: Registry): (why: 'total' | 'address') => void {
  const refused = new Counter({
    name: 'countergraph_refused_connections_total',
    help: 'Connections that were closed immediately, by which limit was reached',
    labelNames: ['why'],
    registers: [registry],
  });
  for (const why of ['total', 'address']) refused.inc({ why }, 0);
  return (why) => refused.inc({ why });
}

/** The open connections of one address. */
type Connections = {
  readonly all: Set<Socket>;
  /** Connections whose last request was answered, longest idle first, and the bytes read so far. */
  readonly idle: Map<Socket, number>;
};

/**
 * Limits the open connections of each address, so that no single address can take all of them. A
 * new connection replaces the one that has been idle longest: many callers may share an address and
 * keep connections open long after their last request.
 */
export function limitPerAddress(
  server: Server,
  registry: Registry,
  { most, isProxy, lastResponses }: Rules,
): void {
  const open = new Map<string, Connections>();
  const ofSocket = new WeakMap<Socket, Connections>();
  const refuse = registerConnectionLimits(registry);
  server.on('drop', () => refuse('total'));
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const caller = callerNetwork(remoteAddress);
    const own = open.get(caller) ?? { all: new Set(), idle: new Map() };
    const refused = () => {
      refuse('address');
      socket.destroy();
    };
    if (own.all.size >= most) {
      if (own.idle.size === 0) return refused();
      // Waits until this turn of the event loop has read requests that arrived on idle connections.
      setImmediate(() => {
        if (own.all.size > most && !closeIdle(own)) refused();
      });
    }
    own.all.add(socket);
    open.set(caller, own);
    ofSocket.set(socket, own);
    socket.once('close', () => {
      forget(own, socket);
      if (own.all.size === 0 && open.get(caller) === own) open.delete(caller);
    });
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const own = ofSocket.get(socket);
    if (!own) return;
    own.idle.delete(socket);
    response.once('close', () => {
      const isLast = lastResponses.get(socket) === response && request.complete;
      if (isLast && own.all.has(socket)) own.idle.set(socket, socket.bytesRead);
    });
  });
}

function forget({ all, idle }: Connections, socket: Socket): void {
  all.delete(socket);
  idle.delete(socket);
}

/** Closes the longest idle connection. False: all are in use, or have not sent a request yet. */
function closeIdle(own: Connections): boolean {
  for (const [socket, bytesRead] of own.idle) {
    // Part of another request has arrived.
    if (socket.bytesRead !== bytesRead) continue;
    forget(own, socket);
    socket.destroy();
    return true;
  }
  return false;
}

/** The newest response of each connection. Earlier ones may still wait to be sent. */
type LastResponses = Pick<WeakMap<Duplex, ServerResponse>, 'get'>;

export function watchLastResponses(server: Server): LastResponses {
  const last = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => last.set(socket, response));
  return last;
}
