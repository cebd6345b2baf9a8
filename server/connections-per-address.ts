import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, type Registry } from 'prom-client';
import { callerNetwork } from '../domain/caller-network.ts';

type Rules = {
  readonly most: number;
  /** Proxies bring everybody along: who is behind them is only known by request. */
  readonly isProxy: (address: string) => boolean;
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

/** Bounds the open connections of each address, so that one alone cannot take all there are. */
export function limitPerAddress(
  server: Server,
  registry: Registry,
  { most, isProxy }: Rules,
): void {
  const open = new Map<string, number>();
  const refuse = registerConnectionLimits(registry);
  server.on('drop', () => refuse('total'));
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isProxy(remoteAddress)) return;
    const caller = callerNetwork(remoteAddress);
    const count = (open.get(caller) ?? 0) + 1;
    if (count > most) {
      refuse('address');
      socket.destroy();
      return;
    }
    open.set(caller, count);
    socket.once('close', () => {
      const left = (open.get(caller) ?? 0) - 1;
      if (left > 0) open.set(caller, left);
      else open.delete(caller);
    });
  });
}
