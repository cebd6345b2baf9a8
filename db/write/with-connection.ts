import type { Connection } from '../connection/connection.ts';
import { KeptConnection } from './kept-connection.ts';

export type ConnectionTarget = {
  readonly databaseUrl: string;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Runs `work` on a connection of its own, which ends with it. An abort cancels the connection's
 * statements, and its reason is then thrown. After an early abort, `work` does not start.
 */
export async function withConnection<T>(
  { databaseUrl, signal }: ConnectionTarget,
  name: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = new KeptConnection(databaseUrl, name);
  try {
    return await connection.use(signal, work);
  } finally {
    await connection.end();
  }
}
