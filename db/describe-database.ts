import pg from 'pg';

/** Describes the database at an address, for people: without its password and its options. */
export function describeDatabase(databaseUrl: string): string {
  // The client parses it as for a connection, including what PG… variables and defaults add.
  const { user, host, port, database } = new pg.Client({ connectionString: databaseUrl });
  // A host that is a path is the folder of a Unix socket.
  const server = host.startsWith('/') ? host : `${bracketed(host)}:${port}`;
  return `${database ?? user ?? ''} at ${server}${user ? `, as ${user}` : ''}`;
}

/** Puts an IPv6 address in brackets, to stand before a port. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
