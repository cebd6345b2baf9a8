import type { PoolClient } from 'pg';
import type { Statement } from '../connection/statement.ts';
import { type Sending, sendCopy, sendCopyAfter, sendStatement } from './send-statement.ts';

/** What a session does on its connection. */
export type ReadTask<T> = {
  readonly work: (client: PoolClient) => Promise<T>;
  /** Runs as a transaction of its own if none is open. */
  readonly alone: boolean;
  /** Begins the transaction and does the work in one round trip; null: in two. */
  readonly workAfter: ((client: PoolClient, begin: Statement) => Promise<After<T>>) | null;
};

/** begun: what the statement that begins the transaction returned. */
type After<T> = { readonly begun: unknown; readonly result: T };

/** Reads the rows of a statement. */
export const statementTask = <Row>(
  statement: Statement,
  sending: Sending,
  alone: boolean,
): ReadTask<Row[]> => ({
  alone,
  work: async (client) => (await sendStatement(client, statement, sending)).rows as Row[],
  workAfter: null,
});

/** Reads the output of a `COPY (…) TO STDOUT`. */
export const copyTask = (
  copy: Pick<Statement, 'query' | 'text'>,
  sending: Sending,
): ReadTask<Buffer> => ({
  alone: false,
  work: (client) => sendCopy(client, copy, sending),
  async workAfter(client, begin) {
    const { before, bytes } = await sendCopyAfter(client, begin, copy, sending);
    return { begun: before, result: bytes };
  },
});
