import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../domain/limits.ts';
import {
  type Connection,
  isTransactionPooled,
  type OpenTransaction,
  openConnection,
  openTransaction,
} from '../connection/connection.ts';

/**
 * Makes an abort cancel the running statement of a connection, whether it waits for a lock or
 * copies, through a second connection. If none runs, the next one is cancelled: it might wait for
 * ever. Returns the function that ends this.
 */
export async function cancelOnAbort(
  databaseUrl: string,
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  if (!signal) return async () => undefined;
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  const over = new AbortController();
  const cancel = () =>
    isTransactionPooled(connection)
      ? cancelTransaction(databaseUrl, openTransaction(connection))
      : cancelStatement(databaseUrl, 'pid = $1', [pid]);
  let cancelling: Promise<void> | null = null;
  const onAbort = () => {
    // If no cancel gets through, the work still ends when it next checks the signal.
    cancelling = repeat(cancel, over.signal).catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return async () => {
    signal.removeEventListener('abort', onAbort);
    over.abort();
    await cancelling;
  };
}

/** Repeats an attempt until it succeeds, or the signal is aborted. */
async function repeat(attempt: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await attempt())) await delay(LIMITS.cancelAgainMs, undefined, { signal });
}

/**
 * Cancels a transaction by process and start: once it is over, its server process may work for
 * others.
 */
async function cancelTransaction(
  databaseUrl: string,
  transaction: OpenTransaction | null,
): Promise<boolean> {
  if (!transaction) return false;
  const { pid, startedAt } = transaction;
  return cancelStatement(databaseUrl, 'pid = $1 and xact_start = $2::timestamptz', [
    pid,
    startedAt,
  ]);
}

/** Cancels the running statement of a session. Returns false if none runs. */
async function cancelStatement(
  databaseUrl: string,
  condition: string,
  values: readonly unknown[],
): Promise<boolean> {
  const control = await openConnection(databaseUrl, 'cancel');
  try {
    const { rowCount } = await control.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where ${condition} and state = 'active'`,
      [...values],
    );
    return rowCount === 1;
  } finally {
    await control.end();
  }
}
