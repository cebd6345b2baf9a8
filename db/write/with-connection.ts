import { type Connection, openConnection } from '../connection/connection.ts';
import { cancelOnAbort } from './cancel-on-abort.ts';

export type ConnectionTarget = {
  readonly databaseUrl: string;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Work on a connection of its own, which ends with it. An abort cancels what the connection is
 * doing, and is the reason that is thrown then.
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
    // Statements that an abort has cancelled fail with an error of their own.
    signal?.throwIfAborted();
    throw error;
  } finally {
    await connection.end();
  }
}
