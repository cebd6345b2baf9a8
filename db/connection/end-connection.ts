import type { Client, ClientBase } from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import type { ChosenConnection } from './chosen-connection.ts';

/**
 * Ends a connection. pg waits for the server to close its side, which one that hangs never does:
 * then the socket is cut.
 */
export async function endConnection(client: Client): Promise<void> {
  const late = setTimeout(() => destroySocket(client), LIMITS.cancelGraceMs);
  try {
    await client.end();
  } finally {
    clearTimeout(late);
  }
}

/** pg keeps the connection on the client but does not type it. */
type ClientInternals = { connection: ChosenConnection };

/** Cuts the connection. `error`: why, for all that waits for an answer on it. */
export const destroySocket = (client: ClientBase, error?: Error): void =>
  (client as unknown as ClientInternals).connection.abandon(error);
