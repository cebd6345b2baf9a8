import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Does what Node omits for responses that are queued behind another one on their connection. When
 * the connection closes, Node notifies only the response that holds it: the others would count as
 * in progress forever, and the work for them would continue. Also, the time limit for reading one
 * response would stay in force while the next one is still being computed.
 */
export function watchQueuedResponses(server: Server): void {
  const open = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on('request', ({ socket }, response) => {
    const own = open.get(socket) ?? watched(socket);
    open.set(socket, own);
    own.add(response);
    response.once('finish', () => {
      // By now Node has assigned the connection to the next response.
      for (const next of own) {
        if (next.socket !== socket) continue;
        if (!next.writableEnded) socket.setTimeout(0);
        return;
      }
    });
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
