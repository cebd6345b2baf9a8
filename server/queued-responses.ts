import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Tells responses that wait behind another one on their connection when it is gone. Node itself
 * tells only the one that has the connection: all others would be taken for under way for ever,
 * and what is done for them would go on.
 */
export function closeQueuedResponses(server: Server): void {
  const open = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on('request', ({ socket }, response) => {
    const own = open.get(socket) ?? watched(socket);
    open.set(socket, own);
    own.add(response);
    response.once('close', () => own.delete(response));
  });
}

function watched(socket: Duplex): Set<ServerResponse> {
  const open = new Set<ServerResponse>();
  socket.once('close', () => {
    for (const response of open) {
      if (response.socket !== null) continue;
      response.destroy();
      response.emit('close');
    }
  });
  return open;
}
