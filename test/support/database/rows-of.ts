import pg from 'pg';

/**
 * A new connection takes some ten milliseconds of CPU time, and tests that wait for a state ask
 * many times a second, so connections stay open for a while.
 */
const pools = new Map<string, pg.Pool>();

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
    idleTimeoutMillis: 1_000,
    allowExitOnIdle: true,
  });
  // The pool replaces a connection that is lost while idle.
  pool.on('error', () => undefined);
  pools.set(url, pool);
  return pool;
}

/** Closes the connections to a database that is dropped or cloned next. */
export async function closePoolAt(url: string): Promise<void> {
  const pool = pools.get(url);
  pools.delete(url);
  await pool?.end();
}
