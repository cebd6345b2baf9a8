import type pg from 'pg';
import { isUnreachable } from '../database-error.ts';
import { PagePlacement } from '../page-placement.ts';
import { announcedPid } from './backend-pid.ts';
import { endConnection } from './end-connection.ts';
import { PatientClient } from './patient-client.ts';
import { findPooling, type Pooling } from './pooling.ts';
import { applySettings } from './session-settings.ts';
import type { Statement } from './statement.ts';
import { noteOutcome } from './transaction-outcome.ts';

/** A connection used by one writer. */
export type Connection = pg.ClientBase;

/** A connection from `openConnection`, for the code that has to end it. */
export type OpenConnection = pg.Client;

/** Facts about the connections that were opened here. */
const facts = new WeakMap<Connection, Facts>();

type Facts = {
  readonly pooling: Pooling;
  readonly placement: PagePlacement;
  /** Opens another connection to the same database. */
  readonly openAnother: () => Promise<pg.Client>;
  /**
   * The separate connection that reads distributed pages while a snapshot is open, or 'none yet'
   * until one is needed; null: no snapshot is open.
   */
  beside: Promise<pg.Client> | 'none yet' | null;
  /**
   * When the server started its process, in Unix seconds, if that is the connection's own; null: not
   * known.
   */
  startedAt: string | null;
  /** The open transaction, in the form in which other connections can find it. */
  transaction: OpenTransaction | null;
};

export type OpenTransaction = { readonly pid: number; readonly startedAt: string };

export type ConnectionOptions = {
  /** How long a statement may take; afterwards only `endConnection` is of use. 0: any time. */
  readonly statementMs?: number;
  /** A connection with the same name that was given up: a frozen proxy may keep its locks. */
  readonly replaces?: OpenConnection | null;
};

/** Opens a connection without the time limits that a server may set for ordinary sessions. */
export async function openConnection(
  databaseUrl: string,
  name: string,
  { statementMs = 0, replaces = null }: ConnectionOptions = {},
): Promise<pg.Client> {
  const open = () => connect(databaseUrl, name, statementMs);
  const connection = await open();
  return endedIfFailed(connection, async () => {
    const pooling = await findPooling(connection, open);
    const placement = new PagePlacement();
    const openAnother = async () => {
      const another = await open();
      return endedIfFailed(another, () => setUp(another, pooling));
    };
    const known: Facts = {
      pooling,
      placement,
      openAnother,
      beside: null,
      startedAt: null,
      transaction: null,
    };
    facts.set(connection, known);
    await placement.check(connection);
    await setUp(connection, pooling);
    if (pooling === 'none') known.startedAt = await selectStart(connection);
    if (replaces && pooling === 'none') await terminate(connection, replaces);
  });
}

/** Returns the connection when `work` is done, and ends it if `work` fails. */
async function endedIfFailed(connection: pg.Client, work: () => Promise<void>): Promise<pg.Client> {
  try {
    await work();
    return connection;
  } catch (error) {
    await endConnection(connection);
    throw error;
  }
}

/** Ends the server's side of a lost connection, which may not notice that ours is gone. */
async function terminate(connection: Connection, lost: Connection): Promise<void> {
  // The number may be that of another process by now, which has started later.
  const text = `select pg_terminate_backend(pid) from pg_stat_activity
    where pid = $1 and extract(epoch from backend_start) = $2 and usename = current_user
      and datname = current_database() and application_name = current_setting('application_name')`;
  await connection.query(text, [announcedPid(lost), facts.get(lost)?.startedAt ?? null]);
}

async function selectStart(connection: Connection): Promise<string | null> {
  // In Unix seconds: how a time is written depends on settings of the role.
  const text = `select extract(epoch from backend_start)::text as "startedAt"
    from pg_stat_activity where pid = pg_backend_pid()`;
  const { rows } = await connection.query<{ startedAt: string | null }>(text);
  return rows[0]?.startedAt ?? null;
}

async function setUp(connection: pg.Client, pooling: Pooling): Promise<void> {
  // Behind such a pooler, the settings would apply to the next client of the server process.
  if (pooling === 'transaction') return;
  await connection.query(`${applySettings('session')}; ${KEPT_ALIVE}`);
}

async function connect(databaseUrl: string, name: string, statementMs: number): Promise<pg.Client> {
  const connection = new PatientClient({
    url: databaseUrl,
    application_name: `countergraph ${name}`,
    query_timeout: statementMs,
  });
  // If a connection breaks while idle, the next statement reports it as well.
  connection.on('error', () => undefined);
  await connection.connect();
  return connection;
}

/** A client machine that is gone for good must not hold its lock for hours. */
const KEPT_ALIVE = `set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10;
  set tcp_keepalives_count = 3`;

/** Reads like a request's session, for code that accepts either. */
export const readOn =
  (connection: Connection) =>
  async <Row>({ text, values = [] }: Statement): Promise<Row[]> =>
    (await connection.query(text, [...values])).rows as Row[];

/** Returns whether no session state lasts from one transaction to the next on this connection. */
export const isTransactionPooled = (connection: Connection): boolean =>
  facts.get(connection)?.pooling === 'transaction';

/**
 * Returns the open transaction of a connection for which `isTransactionPooled`; null: none is open.
 */
export const openTransaction = (connection: Connection): OpenTransaction | null =>
  facts.get(connection)?.transaction ?? null;

/** Runs `work` in one transaction: all of it or nothing is done. */
export const inTransaction = <T>(connection: Connection, work: () => Promise<T>): Promise<T> =>
  transact(connection, 'read committed', work);

/**
 * Runs `work`, which only reads, on the database as it is now, whatever others write meanwhile.
 * Distributed pages have no common snapshot, so they are read on a separate connection.
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

/**
 * Returns whether Citus has distributed the pages, as found when the connection's transaction
 * began.
 */
export const arePagesDistributed = (connection: Connection): boolean =>
  facts.get(connection)?.placement.isDistributed ?? false;

/**
 * Returns the connection on which pages are read: the same one, except for distributed pages in a
 * snapshot. The workers would keep to the snapshot as the coordinator does, and never see a page
 * that arrives late, so such pages are read on a separate connection. A transaction that writes may
 * read its own pages, and each of its statements sees what is committed by then.
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
  let isCommitting = false;
  try {
    await facts.get(connection)?.placement.lookAgain(connection);
    const result = await work();
    noteTransaction(connection, null);
    isCommitting = true;
    await connection.query('commit');
    return result;
  } catch (error) {
    // The answer to a commit may be lost, whatever became of the commit.
    noteOutcome(error, isCommitting && isUnreachable(error) ? 'unknown' : 'undone');
    noteTransaction(connection, null);
    await rollBack(connection);
    throw error;
  }
}

/** Begins a transaction. Behind a pooler in transaction mode, also notes its server process. */
async function begin(connection: Connection, text: string): Promise<void> {
  if (!isTransactionPooled(connection)) {
    await connection.query(text);
    return;
  }
  const statements = [text, applySettings('transaction'), WHICH];
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
    // The connection is gone, and the transaction with it; the original error says more.
  }
}
