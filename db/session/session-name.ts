/** PostgreSQL cuts an application_name after 63 bytes. */
const PREFIX = 'countergraph ';

const REQUEST_ID = /^[A-Za-z0-9._:=-]{1,50}$/;

/**
 * Whether a text can name a request everywhere: it fits into PostgreSQL's application_name whole,
 * and has nothing in it that a log, a header or a statement could take for something else.
 */
export const isRequestId = (text: string): boolean => REQUEST_ID.test(text);

/**
 * The statement by which pg_stat_activity and the database's log (`%a`) tell which request a
 * transaction works for; null where there is none. It ends with its transaction. A comment in each
 * statement would do the same, but a prepared statement has to keep its text.
 */
export function setSessionName(requestId: string | null): string | null {
  if (requestId === null) return null;
  if (!isRequestId(requestId)) throw new Error('a request id has a form that is not one');
  return `set local application_name = '${PREFIX}${requestId}'`;
}
