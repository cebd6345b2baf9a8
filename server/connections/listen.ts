import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasCode } from '../../domain/has-code.ts';
import { LIMITS } from '../../domain/limits.ts';

/** Listens, and returns the actual address. Errors: another program uses it. */
export async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen({ port, host, backlog: LIMITS.waitingConnections });
  try {
    await once(server, 'listening');
  } catch (cause) {
    if (!hasCode(cause, 'EADDRINUSE')) throw cause;
    const message = `${host}:${port} is in use by another program: set PORT to a free one, or to 0`;
    throw new Error(message, { cause });
  }
  // The address of a server that listens on a port is an `AddressInfo`.
  return server.address() as AddressInfo;
}
