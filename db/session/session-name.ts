/** PostgreSQL truncates an application_name to 63 bytes. */
const PREFIX = 'countergraph ';

const REQUEST_ID = /^[A-Za-z0-9._:=-]{1,50}$/;

/**
 * Returns whether a text can name a request everywhere: it fits whole into PostgreSQL's
 * application_name, and contains nothing that a log, a header or a statement could misinterpret.
 */
export const isRequestId = (text: string): boolean => REQUEST_ID.test(text);

/**
 * Returns the statement that makes pg_stat_activity and the database's log (`%a`) show which
 * request a transaction works for; null if there is none. The name ends with its transaction. A
 * comment in each statement would do the same, but a prepared statement has to keep its text.
 */
export function setSessionName(requestId: string | null): string | null {
  if (requestId === null) return null;
  if (!isRequestId(requestId)) throw new Error('a request id has an invalid form');
  return `set local application_name = '${PREFIX}${requestId}'`;
}
