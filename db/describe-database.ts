import pg from 'pg';

/** Which database an address is of, for people: without its password and its options. */
export function describeDatabase(databaseUrl: string): string {
  // The client reads it as for a connection, with what PG… variables and defaults add.
  const { user, host, port, database } = new pg.Client({ connectionString: databaseUrl });
  // A folder is that of a Unix socket.
  const server = host.startsWith('/') ? host : `${bracketed(host)}:${port}`;
  return `${database ?? user ?? ''} at ${server}${user ? `, as ${user}` : ''}`;
}

/** An IPv6 address beside a port. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
