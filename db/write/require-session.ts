import { type Connection, isTransactionPooled } from '../connection/connection.ts';
import { NEEDS_SESSION } from '../connection/pooling.ts';

/**
 * Throws if a lock on this connection cannot last longer than a transaction. Call it before taking
 * a lock that has to.
 */
export function requireSession(connection: Connection, what: string): void {
  if (isTransactionPooled(connection)) throw new Error(`${what}: ${NEEDS_SESSION}`);
}
