import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasCode } from '../../domain/has-code.ts';
import { LIMITS } from '../../domain/limits.ts';

/**
 * Listens, and returns the actual address. Errors: another program uses it, it is not one of this
 * machine, or listening on its port is not permitted.
 */
export async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen({ port, host, backlog: LIMITS.waitingConnections });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const advice = ADVICE.find(({ codes }) => hasCode(cause, ...codes));
    throw advice ? new Error(advice.text(host, port), { cause }) : cause;
  }
  // The address of a server that listens on a port is an `AddressInfo`.
  return server.address() as AddressInfo;
}

const ADVICE = [
  {
    codes: ['EADDRINUSE'],
    text: (host: string, port: number) =>
      `${host}:${port} is in use by another program: set PORT to a free one, or to 0`,
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'],
    text: (host: string) =>
      `HOST must be an address or a name of this machine, got ${JSON.stringify(host)}: set it to ` +
      '127.0.0.1 for callers on this machine, or to 0.0.0.0 for all',
  },
  {
    codes: ['EACCES'],
    text: (_: string, port: number) =>
      `the system does not permit listening on port ${port}: set PORT to one from 1024 on`,
  },
] as const;
