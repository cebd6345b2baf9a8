import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * What Node leaves out for responses that wait behind another one on their connection. When it is
 * gone, only the one that has it is told: all others would be taken for under way for ever, and
 * what is done for them would go on. And how long the caller may take to read the one before would
 * stay in force while the next is still being made.
 */
export function watchQueuedResponses(server: Server): void {
  const open = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on('request', ({ socket }, response) => {
    const own = open.get(socket) ?? watched(socket);
    open.set(socket, own);
    own.add(response);
    response.once('finish', () => {
      // Node has given the connection to the next one by now.
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
