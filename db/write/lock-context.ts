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

/** The same for the creation of the context `name`, which nobody else can see yet. */
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
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as locked',
    [lockClass, id],
  );
  if (rows[0]?.locked) return;
  onWaiting();
  await connection.query('select pg_advisory_xact_lock($1, $2)', [lockClass, id]);
}
