import pg from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { PagePlacement } from '../page-placement.ts';
import { findPooling, type Pooling } from './pooling.ts';
import type { Statement } from './statement.ts';

/** A connection on which one writer works. */
export type Connection = pg.ClientBase;

/** One that `openConnection` has given, for whoever has to end it. */
export type OpenConnection = pg.Client;

/** What is known of connections that were opened here. */
const facts = new WeakMap<Connection, Facts>();

type Facts = {
  readonly pooling: Pooling;
  readonly placement: PagePlacement;
  /** Opens another connection to the same database. */
  readonly openAnother: () => Promise<pg.Client>;
  /** A snapshot is open: what reads distributed pages beside it, once that was asked for. */
  beside: Promise<pg.Client> | 'none yet' | null;
  /** The transaction that is open, as it can be found by others. */
  transaction: OpenTransaction | null;
};

export type OpenTransaction = { readonly pid: number; readonly startedAt: string };

/** A connection of its own, without the bounds that a server may set for ordinary sessions. */
export async function openConnection(databaseUrl: string, name: string): Promise<pg.Client> {
  const connection = await connect(databaseUrl, name);
  try {
    const openAnother = () => connect(databaseUrl, name);
    const pooling = await findPooling(connection, openAnother);
    const placement = new PagePlacement();
    facts.set(connection, { pooling, placement, openAnother, beside: null, transaction: null });
    await placement.look(connection);
    // Else it would be set for whoever is given the server process next.
    if (pooling !== 'transaction') await connection.query(`${UNBOUNDED}; ${KEPT_ALIVE}`);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

async function connect(databaseUrl: string, name: string): Promise<pg.Client> {
  const connection = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: LIMITS.connectTimeoutMs,
    application_name: `countergraph ${name}`,
    keepAlive: true,
  });
  // A connection that breaks while idle is reported by the next statement as well.
  connection.on('error', () => undefined);
  await connection.connect();
  return connection;
}

/** An import reads its input between two statements, and may wait long for another one. */
const UNBOUNDED = `set statement_timeout = 0; set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0`;

/** A machine that is gone for good must not hold its lock for hours. */
const KEPT_ALIVE = `set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10;
  set tcp_keepalives_count = 3`;

/** Reads as the session of a request does, for what takes either. */
export const readOn =
  (connection: Connection) =>
  async <Row>({ text, values = [] }: Statement): Promise<Row[]> =>
    (await connection.query(text, [...values])).rows as Row[];

/** Whether nothing lasts on it from one transaction to the next. */
export const isTransactionPooled = (connection: Connection): boolean =>
  facts.get(connection)?.pooling === 'transaction';

/** The transaction that is open on a connection of which `isTransactionPooled`; null: none is. */
export const openTransaction = (connection: Connection): OpenTransaction | null =>
  facts.get(connection)?.transaction ?? null;

/** Runs `work` in one transaction: all of it is done, or nothing. */
export const inTransaction = <T>(connection: Connection, work: () => Promise<T>): Promise<T> =>
  transact(connection, 'read committed', work);

/**
 * Runs `work`, which only reads, on the database as it is now, whatever others write meanwhile.
 * Distributed pages, of which there is no common snapshot, are read by a connection beside it.
 */
export async function inSnapshot<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const known = facts.get(connection);
  if (known) known.beside = 'none yet';
  try {
    return await transact(connection, 'repeatable read read only', work);
  } finally {
    const beside = known?.beside;
    if (known) known.beside = null;
    if (beside && beside !== 'none yet') await beside.then((client) => client.end(), ignore);
  }
}

/** Whether Citus has distributed the pages, as was found when its transaction began. */
export const arePagesDistributed = (connection: Connection): boolean =>
  facts.get(connection)?.placement.isDistributed ?? false;

/**
 * On which connection pages are read: the same one, but for distributed pages in a snapshot. The
 * workers would keep to it as the coordinator does, and never see a page that comes late; so they
 * are read beside it. A transaction that writes may look for its own pages, and each of its
 * statements sees what is committed by then.
 */
export async function pageConnectionOf(connection: Connection): Promise<Connection> {
  const known = facts.get(connection);
  if (!known?.beside || !known.placement.isDistributed) return connection;
  if (known.beside === 'none yet') known.beside = known.openAnother();
  return known.beside;
}

const ignore = (): void => undefined;

async function transact<T>(
  connection: Connection,
  mode: 'read committed' | 'repeatable read read only',
  work: () => Promise<T>,
): Promise<T> {
  await begin(connection, `begin isolation level ${mode}`);
  try {
    await facts.get(connection)?.placement.lookAgain(connection);
    const result = await work();
    noteTransaction(connection, null);
    await connection.query('commit');
    return result;
  } catch (error) {
    noteTransaction(connection, null);
    await rollBack(connection);
    throw error;
  }
}

/** Behind a pooler in transaction mode it tells which server process works for it. */
async function begin(connection: Connection, text: string): Promise<void> {
  if (!isTransactionPooled(connection)) {
    await connection.query(text);
    return;
  }
  const statements = [text, UNBOUNDED.replaceAll('set ', 'set local '), WHICH];
  const results: unknown = await connection.query(statements.join('; '));
  const rows = Array.isArray(results) ? results.at(-1)?.rows : [];
  noteTransaction(connection, rows[0] ?? null);
}

const WHICH = 'select pg_backend_pid() as pid, now()::text as "startedAt"';

function noteTransaction(connection: Connection, transaction: OpenTransaction | null): void {
  const known = facts.get(connection);
  if (known) known.transaction = transaction;
}

async function rollBack(connection: Connection): Promise<void> {
  try {
    await connection.query('rollback');
  } catch {
    // The connection is gone, and the transaction with it; the error before says more than this.
  }
}
