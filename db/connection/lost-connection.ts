import type { ClientBase } from 'pg';
import { errorCode, isRecoveryConflict, isUnreachable } from '../database-error.ts';

/** The first error with which each connection was lost. */
const losses = new WeakMap<ClientBase, Error>();

/** Keeps the error with which the connection is lost, for `failureOf`. */
export function keepLoss(client: ClientBase): void {
  client.on('error', (error) => {
    // When the server has said why, pg also reports the end of the connection.
    if (!losses.has(client)) losses.set(client, error);
  });
}

/**
 * Returns why a statement failed. If a standby ended its session between two statements because of
 * a recovery conflict, pg reports the conflict as an event, and the next statement fails with an
 * error that does not say so.
 */
export function failureOf(client: ClientBase, error: unknown): unknown {
  const loss = losses.get(client);
  const isUnexplained = errorCode(error) === null && isUnreachable(error);
  return isUnexplained && isRecoveryConflict(loss) ? loss : error;
}
