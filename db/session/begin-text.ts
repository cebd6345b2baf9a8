import { BACKEND_PID } from '../connection/backend-pid.ts';
import type { Pooler } from '../connection/pooler.ts';
import type { Statement } from '../connection/statement.ts';

/** JIT compilation made every topper query slower when it was measured. */
const BEGIN = 'begin isolation level repeatable read read only; set local jit = off';

type Begin = {
  readonly pooler: Pooler;
  readonly requestId: string | null;
  /** A statement that identifies the snapshot, sent in the same round trip. */
  readonly check: string | null;
};

/**
 * Returns the statement that begins a transaction on one snapshot, and the function that reads its
 * result.
 */
export function beginText({ pooler, requestId, check }: Begin): {
  readonly statement: Statement;
  readonly read: (result: unknown) => Begun;
} {
  const askPid = pooler.isPresent ? BACKEND_PID : null;
  const parts = [BEGIN, setSessionName(requestId), askPid, check];
  return {
    statement: { query: 'begin', text: parts.filter((part) => part !== null).join('; ') },
    read(result) {
      // A text of several statements has one result for each.
      const results = [result].flat() as readonly { rows: readonly unknown[] }[];
      const told = askPid && (results.at(check ? -2 : -1)?.rows[0] as { pid?: number } | undefined);
      return { pid: told?.pid ?? null, rows: results.at(-1)?.rows ?? [] };
    },
  };
}

export type Begun = {
  /** The server process of the transaction; known only behind a pooler. */
  readonly pid: number | null;
  /** Rows of the check. */
  readonly rows: readonly unknown[];
};

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
