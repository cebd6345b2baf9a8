import { type Connection, openConnection } from '../connection/connection.ts';
import { endConnection } from '../connection/end-connection.ts';
import { cancelOnAbort } from './cancel-on-abort.ts';

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
  const connection = await openConnection(databaseUrl, name);
  try {
    const stopCancelling = await cancelOnAbort(databaseUrl, connection, signal);
    try {
      return await work(connection);
    } finally {
      await stopCancelling();
    }
  } catch (error) {
    // A statement that an abort cancelled fails with its own error: throw the abort's reason
    // instead.
    signal?.throwIfAborted();
    throw error;
  } finally {
    await endConnection(connection);
  }
}
