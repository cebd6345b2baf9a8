import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { LIMITS } from '../../domain/limits.ts';

/** The responses to requests whose client waits for a `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Makes the code that reads a body ask for it. Node would send `100 Continue` at once, even if the
 * request is then refused. Expectations other than that may be ignored (RFC 9110, 10.1.1).
 */
export function heedExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    if (hasBody(request)) waiting.set(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Whether the client has not been asked for the body yet; it may send it unasked. */
export const isWaiting = (request: IncomingMessage): boolean => waiting.has(request);

/** Asks the client for the body. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/**
 * Closes the connection of a request whose body was not asked for, once its response is sent:
 * nobody knows whether what arrives next is the body. Until the client closes it, too, the body is
 * read and discarded. A connection closed with unread input is reset, and a client that did not
 * wait might never see the response.
 */
export function closeUnasked(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LIMITS.discardedBodyBytes) socket.destroy();
  });
  response.setHeader('connection', 'close');
  // Node calls this once the response is sent, and would close both directions.
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LIMITS.discardMs);
    socket.once('close', () => clearTimeout(timer));
    socket.end();
  };
}
