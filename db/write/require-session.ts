import { type Connection, isTransactionPooled } from '../connection/connection.ts';
import { NEEDS_SESSION } from '../connection/pooling.ts';

/** Before a lock is taken that is to last longer than a transaction. Errors: it would not. */
export function requireSession(connection: Connection, what: string): void {
  if (isTransactionPooled(connection)) throw new Error(`${what}: ${NEEDS_SESSION}`);
}
