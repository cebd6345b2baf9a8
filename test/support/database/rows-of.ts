import pg from 'pg';
import { type OpenConnection, openConnection } from '../../../db/connection/connection.ts';

/** How long an idle connection stays open. */
const IDLE_MS = 1_000;

/**
 * A new connection takes some ten milliseconds of CPU time, and tests that wait for a state ask
 * many times a second, so connections stay open for a while.
 */
const pools = new Map<string, pg.Pool>();

/** Idle connections of the product's own kind. */
const idle = new Map<string, IdleConnection>();

type IdleConnection = {
  readonly connection: OpenConnection;
  readonly timer: NodeJS.Timeout;
  readonly onEnd: () => void;
};

/** The rows of one statement, run on any connection. */
export async function rowsOf<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await poolAt(url).query<Row>(text, [...values])).rows;
}

export function poolAt(url: string): pg.Pool {
  const known = pools.get(url);
  if (known) return known;
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
  });
  // The pool replaces a connection that is lost while idle.
  pool.on('error', () => undefined);
  pools.set(url, pool);
  return pool;
}

/** Runs `work` on a connection as the commands open it. One that nobody uses is used again. */
export async function onConnection<T>(
  url: string,
  work: (connection: OpenConnection) => Promise<T>,
): Promise<T> {
  const connection = takeIdle(url) ?? (await openConnection(url, 'test'));
  try {
    const result = await work(connection);
    await keep(url, connection);
    return result;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

function takeIdle(url: string): OpenConnection | null {
  const known = idle.get(url);
  if (!known) return null;
  idle.delete(url);
  clearTimeout(known.timer);
  known.connection.off('end', known.onEnd);
  return known.connection;
}

async function keep(url: string, connection: OpenConnection): Promise<void> {
  if (idle.has(url)) {
    await connection.end();
    return;
  }
  const timer = setTimeout(() => endIdle(url), IDLE_MS).unref();
  // The next user opens another one if this one is lost meanwhile.
  const onEnd = () => void takeIdle(url);
  idle.set(url, { connection, timer, onEnd });
  connection.once('end', onEnd);
}

const endIdle = (url: string): Promise<void> | undefined => takeIdle(url)?.end();

/** Closes the connections to a database that is dropped or cloned next. */
export async function closePoolAt(url: string): Promise<void> {
  const pool = pools.get(url);
  pools.delete(url);
  await Promise.all([pool?.end(), endIdle(url)]);
}
