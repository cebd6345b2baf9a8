import { FEED_LOCK } from '../../advisory-locks.ts';
import { type Connection, isTransactionPooled } from '../../connection/connection.ts';
import { applySettings } from '../../connection/session-settings.ts';

/**
 * Takes the lock of a feed, unless another connection has it; `shared`: unless another has it
 * alone. The lock lasts as long as the
 * connection, which is for nothing else. Behind a pooler in transaction mode, a transaction that
 * stays open keeps the server process and with it the lock; it reads nothing, so it is in nobody's
 * way.
 */
export async function tryHoldFeed(
  connection: Connection,
  hash: number,
  how: 'alone' | 'shared' = 'alone',
): Promise<boolean> {
  const isPooled = isTransactionPooled(connection);
  const prepare = isPooled ? `begin; ${applySettings('transaction')}` : KEPT_ALIVE;
  await connection.query(prepare);
  const end = how === 'shared' ? '_shared' : '';
  const lock = `pg_try_advisory_${isPooled ? 'xact_' : ''}lock${end}`;
  const { rows } = await connection.query<{ isHeld: boolean }>(
    `select ${lock}($1, $2) as "isHeld"`,
    [FEED_LOCK, hash],
  );
  const isHeld = rows[0]?.isHeld ?? false;
  if (isPooled && !isHeld) await connection.query('rollback');
  return isHeld;
}

/** A machine that is gone must have lost the lock before its successor gives up. */
const KEPT_ALIVE = `set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3`;
