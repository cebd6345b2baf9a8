import { type Connection, type OpenConnection, openConnection } from '../connection/connection.ts';
import { endConnection } from '../connection/end-connection.ts';
import { cancelOnAbort } from './cancel-on-abort.ts';

/**
 * A connection for work that is repeated every few seconds, which need not log in each time. It is
 * opened again after work on it has failed, or the server has ended it.
 */
export class KeptConnection {
  readonly #databaseUrl: string;
  readonly #name: string;
  #connection: OpenConnection | null = null;

  constructor(databaseUrl: string, name: string) {
    this.#databaseUrl = databaseUrl;
    this.#name = name;
  }

  /** Runs `work`, which must be the only one at a time. See `withConnection` about the signal. */
  async use<T>(
    signal: AbortSignal | undefined,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    try {
      const connection = this.#connection ?? (await this.#open());
      const stopCancelling = await cancelOnAbort(this.#databaseUrl, connection, signal);
      try {
        return await work(connection);
      } finally {
        await stopCancelling();
      }
    } catch (error) {
      await this.end();
      // A statement that an abort cancelled fails with its own error: throw the abort's reason
      // instead.
      signal?.throwIfAborted();
      throw error;
    }
  }

  /** Ends the connection. The next work opens another. */
  async end(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    if (connection) await endConnection(connection);
  }

  async #open(): Promise<OpenConnection> {
    const connection = await openConnection(this.#databaseUrl, this.#name);
    connection.once('end', () => {
      if (this.#connection === connection) this.#connection = null;
    });
    this.#connection = connection;
    return connection;
  }
}
