import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { serviceError } from '../../domain/errors.ts';
import type { TextAnswer } from '../../rest/json-answer.ts';
import { hostFault } from '../connections/client-headers.ts';
import { connectionOptions } from '../connections/connection-limits.ts';
import { heedExpectations } from '../connections/expectation.ts';
import { listen } from '../connections/listen.ts';
import type { Settings } from '../settings/settings.ts';
import { refusalOf } from './errors.ts';
import { setSecurityHeaders } from './security-headers.ts';

export type WaitingRoom = {
  /** The port that it listens on. */
  readonly port: number;
  /** Releases the port, so that the server can listen on it. */
  close(): Promise<void>;
};

const RETRY_SECONDS = 5;

/**
 * Listens in place of the server while the database is not ready: /healthz says that the process is
 * alive, /readyz why requests should go elsewhere, and all other requests are refused as by a busy
 * server. Connections are not kept alive, because the server could not take them over.
 */
export async function openWaitingRoom(
  settings: Settings,
  problem: () => string,
): Promise<WaitingRoom> {
  const server = createServer(connectionOptions(settings), (request, response) => {
    const { status, headers, body } = answerTo(request, problem);
    setSecurityHeaders(response);
    response.writeHead(status, {
      ...headers,
      connection: 'close',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    request.resume();
  });
  heedExpectations(server);
  server.maxConnections = settings.maxConnections;
  const { port } = await listen(server, settings.host, settings.port);
  return {
    port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answerTo(request: IncomingMessage, problem: () => string): TextAnswer {
  const [path = '/'] = (request.url ?? '/').split('?');
  const fault = hostFault(request);
  if (fault) return refusalOf({ path, request }, fault);
  if (path === '/healthz') return plain(200, 'alive');
  if (path === '/readyz') return plain(503, problem());
  return refusalOf({ path, request }, NOT_YET);
}

const NOT_YET = serviceError('busy', {}, { retryAfterSeconds: RETRY_SECONDS });

const plain = (status: number, text: string): TextAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: `${text}\n`,
});
