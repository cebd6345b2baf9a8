import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../domain/limits.ts';
import {
  type Connection,
  isTransactionPooled,
  type OpenConnection,
  openConnection,
  openTransaction,
} from './connection.ts';
import { endConnection } from './end-connection.ts';
import { NEEDS_SESSION } from './pooling.ts';

type ConnectionTarget = {
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

/**
 * Makes an abort cancel the running statement of a connection, whether it waits for a lock or
 * copies, through a second connection. Between two statements there is nothing to cancel, so it
 * waits for the next one; what runs after the cancelled statement is clean-up, and is left alone.
 * Returns the function that ends this. Throws if already aborted.
 */
export async function cancelOnAbort(
  databaseUrl: string,
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  if (!signal) return async () => undefined;
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  // An abort from before the listener is added would go unnoticed.
  signal.throwIfAborted();
  const over = new AbortController();
  let cancelling: Promise<void> | null = null;
  const onAbort = () => {
    // If no cancel gets through, the work still ends when it next checks the signal.
    cancelling = cancelOne(over.signal, databaseUrl, { connection, pid }).catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return async () => {
    signal.removeEventListener('abort', onAbort);
    over.abort();
    await cancelling;
  };
}

type Target = { readonly connection: Connection; readonly pid: number };

/** Tries until a running statement was sent a cancel. */
async function cancelOne(over: AbortSignal, databaseUrl: string, target: Target): Promise<void> {
  let control: Awaited<ReturnType<typeof openConnection>> | null = null;
  try {
    while (!over.aborted) {
      try {
        control ??= await openConnection(databaseUrl, 'cancel');
        if (await cancelRunning(control, target)) return;
      } catch {
        // There may be no free connection for a moment, or this one may be lost.
        if (control) await endConnection(control);
        control = null;
      }
      await delay(LIMITS.cancelAgainMs, undefined, { signal: over });
    }
  } finally {
    if (control) await endConnection(control);
  }
}

/** Returns whether a statement was running. */
async function cancelRunning(control: Connection, { connection, pid }: Target): Promise<boolean> {
  if (!isTransactionPooled(connection)) {
    const { rowCount } = await control.query(CANCEL, [pid]);
    return rowCount === 1;
  }
  // As soon as the transaction is over, its server process may work for others.
  const transaction = openTransaction(connection);
  if (!transaction) return false;
  const { startedAt } = transaction;
  const { rowCount } = await control.query(CANCEL_IN_TRANSACTION, [transaction.pid, startedAt]);
  return rowCount === 1;
}

const CANCEL = `
select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and state = 'active'`;

const CANCEL_IN_TRANSACTION = `${CANCEL} and xact_start = $2::timestamptz`;

/**
 * Throws if a lock on this connection cannot last longer than a transaction. Call it before taking
 * a lock that has to.
 */
export function requireSession(connection: Connection, what: string): void {
  if (isTransactionPooled(connection)) throw new Error(`${what}: ${NEEDS_SESSION}`);
}
