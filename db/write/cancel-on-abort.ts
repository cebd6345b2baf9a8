import {
  type Connection,
  isTransactionPooled,
  type OpenTransaction,
  openConnection,
  openTransaction,
} from '../connection/connection.ts';

/**
 * Makes an abort cancel the running statement of a connection, whether it waits for a lock or
 * copies, through a second connection. Returns the function that ends this.
 */
export async function cancelOnAbort(
  databaseUrl: string,
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  if (!signal) return async () => undefined;
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid ?? 0;
  let cancelling: Promise<unknown> | null = null;
  const onAbort = () => {
    const cancel = isTransactionPooled(connection)
      ? cancelTransaction(databaseUrl, openTransaction(connection))
      : cancelBackend(databaseUrl, pid);
    // If no cancel gets through, the work still ends when it next checks the signal.
    cancelling = cancel.catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return async () => {
    signal.removeEventListener('abort', onAbort);
    await cancelling;
  };
}

const cancelBackend = (databaseUrl: string, pid: number): Promise<void> =>
  ask(databaseUrl, 'select pg_cancel_backend($1::int)', [pid]);

/**
 * Cancels a transaction by process and start: once it is over, its server process may work for
 * others.
 */
async function cancelTransaction(
  databaseUrl: string,
  transaction: OpenTransaction | null,
): Promise<void> {
  if (!transaction) return;
  const { pid, startedAt } = transaction;
  const text = `select pg_cancel_backend(pid) from pg_stat_activity
    where pid = $1 and xact_start = $2::timestamptz`;
  await ask(databaseUrl, text, [pid, startedAt]);
}

async function ask(databaseUrl: string, text: string, values: readonly unknown[]): Promise<void> {
  const control = await openConnection(databaseUrl, 'cancel');
  try {
    await control.query(text, [...values]);
  } finally {
    await control.end();
  }
}
