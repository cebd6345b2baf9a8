import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, type Registry } from 'prom-client';
import { callerNetwork } from '../../domain/callers/caller-network.ts';
import type { LastResponses } from './last-responses.ts';

type Rules = {
  readonly most: number;
  /** Proxies bring everybody along: who is behind them is only known by request. */
  readonly isProxy: (address: string) => boolean;
  readonly lastResponses: LastResponses;
};

/** Gives what counts a connection that was closed at once. */
export function registerConnectionLimits(registry: Registry): (why: 'total' | 'address') => void {
  const refused = new Counter({
    name: 'countergraph_refused_connections_total',
    help: 'Connections that were closed at once, by what there were too many of',
    labelNames: ['why'],
    registers: [registry],
  });
  for (const why of ['total', 'address']) refused.inc({ why }, 0);
  return (why) => refused.inc({ why });
}

/** The open connections of one address. */
type Connections = {
  readonly all: Set<Socket>;
  /** Of these, those that were answered, the longest ago first, and the bytes read until then. */
  readonly idle: Map<Socket, number>;
};

/**
 * Bounds the open connections of each address, so that one alone cannot take all there are. The
 * one that has been idle for longest gives way to a new one: behind an address may be many callers,
 * who keep connections long after they have asked.
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
      // Requests that have arrived on idle ones are read in this turn of the event loop.
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

/** Makes room for another connection. False: all are in use, or have not asked anything yet. */
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
