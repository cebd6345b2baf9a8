import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../domain/limits.ts';
import {
  type Connection,
  isTransactionPooled,
  openConnection,
  openTransaction,
} from '../connection/connection.ts';

/**
 * Makes an abort cancel the statements of a connection, whether they wait for a lock or copy,
 * through a second connection. A cancel that arrives between two statements is lost, so cancels are
 * sent until the returned function is called, which ends this. Throws if already aborted.
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
  const cancel = (control: Connection) =>
    isTransactionPooled(connection)
      ? cancelTransaction(control, connection)
      : control.query('select pg_cancel_backend($1::int)', [pid]);
  const over = new AbortController();
  let cancelling: Promise<void> | null = null;
  const onAbort = () => {
    // If no cancel gets through, the work still ends when it next checks the signal.
    cancelling = cancelUntil(over.signal, databaseUrl, cancel).catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return async () => {
    signal.removeEventListener('abort', onAbort);
    over.abort();
    await cancelling;
  };
}

async function cancelUntil(
  over: AbortSignal,
  databaseUrl: string,
  cancel: (control: Connection) => Promise<unknown>,
): Promise<void> {
  const control = await openConnection(databaseUrl, 'cancel');
  try {
    while (!over.aborted) {
      await cancel(control);
      await delay(LIMITS.cancelAgainMs, undefined, { signal: over });
    }
  } finally {
    await control.end();
  }
}

/**
 * Cancels a transaction by process and start: once it is over, its server process may work for
 * others.
 */
async function cancelTransaction(control: Connection, connection: Connection): Promise<void> {
  const transaction = openTransaction(connection);
  if (!transaction) return;
  const text = `select pg_cancel_backend(pid) from pg_stat_activity
    where pid = $1 and xact_start = $2::timestamptz`;
  await control.query(text, [transaction.pid, transaction.startedAt]);
}
