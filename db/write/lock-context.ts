import { CONTEXT_CREATION_LOCK, CONTEXT_IMPORT_LOCK } from '../advisory-locks.ts';
import type { Connection } from './connection.ts';

/**
 * Takes the lock under which keys and samples of a context are written, until the end of the
 * transaction. `onWaiting` is called when another one has it, before waiting for it.
 */
export const lockContext = (
  connection: Connection,
  contextId: number,
  onWaiting: () => void,
): Promise<void> => lock(connection, CONTEXT_IMPORT_LOCK, contextId, onWaiting);

/** The same lock if nobody has it; false: somebody has. */
export const tryLockContext = (connection: Connection, contextId: number): Promise<boolean> =>
  tryLock(connection, CONTEXT_IMPORT_LOCK, contextId);

/** The lock for the creation of the context `name`, which nobody else can see yet. */
export async function lockContextCreation(
  connection: Connection,
  name: string,
  onWaiting: () => void,
): Promise<void> {
  // Two names of one hash wait for each other, which is harmless.
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
