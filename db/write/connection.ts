import pg from 'pg';
import { LIMITS } from '../../domain/limits.ts';

/** A connection on which one writer works. */
export type Connection = pg.ClientBase;

/** A connection of its own, without the bounds that a server may set for ordinary sessions. */
export async function openConnection(databaseUrl: string, name: string): Promise<pg.Client> {
  const connection = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: LIMITS.connectTimeoutMs,
    application_name: `countergraph ${name}`,
    keepAlive: true,
  });
  // A connection that breaks while idle is reported by the next statement as well.
  connection.on('error', () => undefined);
  await connection.connect();
  try {
    // An import reads its input between two statements, and may wait long for another one.
    // And a machine that is gone for good must not hold its lock for hours.
    await connection.query(`set statement_timeout = 0; set lock_timeout = 0;
      set idle_in_transaction_session_timeout = 0; set tcp_keepalives_idle = 30;
      set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3`);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

/** Runs `work` in one transaction: all of it is done, or nothing. */
export const inTransaction = <T>(connection: Connection, work: () => Promise<T>): Promise<T> =>
  transact(connection, 'read committed', work);

/** Runs `work`, which only reads, on the database as it is now, whatever others write meanwhile. */
export const inSnapshot = <T>(connection: Connection, work: () => Promise<T>): Promise<T> =>
  transact(connection, 'repeatable read read only', work);

async function transact<T>(
  connection: Connection,
  mode: 'read committed' | 'repeatable read read only',
  work: () => Promise<T>,
): Promise<T> {
  await connection.query(`begin isolation level ${mode}`);
  try {
    const result = await work();
    await connection.query('commit');
    return result;
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.query('rollback');
  } catch {
    // The connection is gone, and the transaction with it; the error before says more than this.
  }
}
