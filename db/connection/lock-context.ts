import { CONTEXT_CREATION_LOCK, CONTEXT_IMPORT_LOCK } from '../advisory-locks.ts';
import { errorCode, LOCK_NOT_AVAILABLE } from '../database-error.ts';
import type { Connection } from './connection.ts';
import { requireSession } from './with-connection.ts';

/**
 * Takes the lock for writing readings of a context, until the end of the transaction. Calls
 * `onWaiting` before it waits for another holder.
 */
export const lockContext = (
  connection: Connection,
  contextId: number,
  onWaiting: () => void,
): Promise<void> => lock(connection, CONTEXT_IMPORT_LOCK, contextId, onWaiting);

/**
 * Takes the same lock for several consecutive transactions, until `releaseContext`. Calls
 * `onWaiting` before it waits. Returns null if it waited for `waitMs` in vain.
 */
export async function holdContext(
  connection: Connection,
  contextId: number,
  { onWaiting, waitMs = 0 }: { onWaiting: () => void; waitMs?: number },
): Promise<'held' | null> {
  requireSession(connection, 'Slices cannot be archived, restored or dropped');
  const values = [CONTEXT_IMPORT_LOCK, contextId];
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1, $2) as locked',
    values,
  );
  if (rows[0]?.locked) return 'held';
  onWaiting();
  await connection.query("select set_config('lock_timeout', $1, false)", [`${waitMs}ms`]);
  try {
    await connection.query('select pg_advisory_lock($1, $2)', values);
    return 'held';
  } catch (error) {
    if (errorCode(error) === LOCK_NOT_AVAILABLE) return null;
    throw error;
  } finally {
    await connection.query('set lock_timeout = 0');
  }
}

export const releaseContext = (connection: Connection, contextId: number) =>
  connection.query('select pg_advisory_unlock($1, $2)', [CONTEXT_IMPORT_LOCK, contextId]);

/** Takes the lock for creating the context `name`, which nobody else can see yet. */
export async function lockContextCreation(
  connection: Connection,
  name: string,
  onWaiting: () => void,
): Promise<void> {
  // Two names with the same hash wait for each other, which is harmless.
  const { rows } = await connection.query<{ hash: number }>('select hashtext($1) as hash', [name]);
  await lock(connection, CONTEXT_CREATION_LOCK, rows[0]?.hash ?? 0, onWaiting);
}

async function lock(
  connection: Connection,
  lockClass: number,
  id: number,
  onWaiting: () => void,
): Promise<void> {
  if (await tryLock(connection, lockClass, id)) return;
  onWaiting();
  await connection.query('select pg_advisory_xact_lock($1, $2)', [lockClass, id]);
}

async function tryLock(connection: Connection, lockClass: number, id: number): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as locked',
    [lockClass, id],
  );
  return rows[0]?.locked ?? false;
}
