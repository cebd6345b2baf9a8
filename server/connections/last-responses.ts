import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** By connection, the response begun last: a caller may ask again before the one before is out. */
export type LastResponses = Pick<WeakMap<Duplex, ServerResponse>, 'get'>;

export function watchLastResponses(server: Server): LastResponses {
  const last = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => last.set(socket, response));
  return last;
}
