import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The newest response of each connection. Earlier ones may still wait to be sent. */
export type LastResponses = Pick<WeakMap<Duplex, ServerResponse>, 'get'>;

export function watchLastResponses(server: Server): LastResponses {
  const last = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => last.set(socket, response));
  return last;
}
