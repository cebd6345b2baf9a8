import {
  type Connection,
  isTransactionPooled,
  type OpenConnection,
  openConnection,
} from '../../db/connection/connection.ts';
import { endConnection } from '../../db/connection/end-connection.ts';
import { tryLockDecisions } from '../../db/sql/alert-decisions.ts';

/**
 * The connection on which one server decides alerts. Its advisory lock keeps other servers from
 * reading the same windows in vain. The lock is released with the connection, however the server
 * ends. It is only an optimization: the update of the rule's row ensures that each window is
 * decided once (write-decision.ts). Behind a pooler in transaction mode, which cannot hold such a
 * lock, all servers try.
 */
export class DecidingSession {
  readonly #databaseUrl: string;
  readonly #statementMs: number;
  #client: OpenConnection | null = null;
  #lost: OpenConnection | null = null;
  #isHolder = false;

  constructor(databaseUrl: string, statementMs: number) {
    this.#databaseUrl = databaseUrl;
    this.#statementMs = statementMs;
  }

  async open(): Promise<Connection> {
    const how = { statementMs: this.#statementMs, replaces: this.#lost };
    this.#client ??= await openConnection(this.#databaseUrl, 'alerts', how);
    return this.#client;
  }

  /** Whether this server decides alerts; tries to take the lock. */
  async mayDecide(): Promise<boolean> {
    const connection = await this.open();
    if (this.#isHolder || isTransactionPooled(connection)) return true;
    this.#isHolder = await tryLockDecisions(connection);
    return this.#isHolder;
  }

  /** Closes the connection; the next call of `open` connects again. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#lost = client ?? this.#lost;
    this.#client = null;
    this.#isHolder = false;
    if (client) await endConnection(client).catch(() => undefined);
  }
}
