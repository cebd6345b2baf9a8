import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode } from '../db/database-error.ts';
import { type ServiceError, serviceError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';
import { renderError } from '../rest/handle-request.ts';
import type { Logger } from './log.ts';

/** Node keeps on its sockets what is being answered, but does not type it. */
type AnsweringSocket = Duplex & {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
};

/**
 * Requests that are none, or too long to be one, reach no route: Node would answer them with a bare
 * status line. They are told in the shape of all errors what is wrong.
 */
export function answerBrokenRequests(server: Server, log: Logger): void {
  server.on('clientError', (error, socket: AnsweringSocket) => {
    const isAnswered = socket._httpMessage?.headersSent === true;
    // A caller that has gone, or was given a part of an answer, cannot be told anything.
    if (!socket.writable || isAnswered || errorCode(error) === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const refusal = refusalOf(error, server);
    const requestId = randomUUID();
    log.info({ requestId, err: error, status: refusal.status }, 'a request could not be read');
    socket.end(rawAnswer(refusal, requestId));
  });
}

function refusalOf(error: Error, { requestTimeout }: Server): ServiceError {
  switch (errorCode(error)) {
    case 'HPE_HEADER_OVERFLOW':
      return serviceError('headTooLarge', { limit: LIMITS.requestHeadBytes });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return serviceError('tooSlow', { seconds: requestTimeout / 1000 });
    default:
      return serviceError('unreadableRequest', { 'what is wrong': wrongIn(error) });
  }
}

/** What Node's parser says is wrong with the bytes, without what it says they are. */
const wrongIn = (error: Error): string =>
  error.message.replace(/^Parse Error:? */, '') || 'no HTTP';

function rawAnswer(refusal: ServiceError, requestId: string): string {
  const { status, headers, body } = renderError(refusal);
  const all = {
    ...headers,
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
