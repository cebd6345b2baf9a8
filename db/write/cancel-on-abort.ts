import type { Connection } from './connection.ts';
import { openConnection } from './connection.ts';

/**
 * Lets an abort end what a connection is doing, be it waiting for a lock or copying: its statement
 * is cancelled from a second connection. The returned function ends this.
 */
export async function cancelOnAbort(
  databaseUrl: string,
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  if (!signal) return async () => undefined;
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  let cancelling: Promise<void> | null = null;
  const onAbort = () => {
    // Where no cancel gets through, the work still ends at its next look at the signal.
    cancelling = cancelBackend(databaseUrl, rows[0]?.pid ?? 0).catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return async () => {
    signal.removeEventListener('abort', onAbort);
    await cancelling;
  };
}

async function cancelBackend(databaseUrl: string, pid: number): Promise<void> {
  const control = await openConnection(databaseUrl, 'cancel');
  try {
    await control.query('select pg_cancel_backend($1)', [pid]);
  } finally {
    await control.end();
  }
}
