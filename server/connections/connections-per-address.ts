import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, type Registry } from 'prom-client';
import { callerNetwork } from '../../domain/callers/caller-network.ts';
import type { LastResponses } from './last-responses.ts';

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
