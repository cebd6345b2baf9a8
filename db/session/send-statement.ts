import type { PoolClient, QueryResult } from 'pg';
import { unobserved, type WorkObserver } from '../../domain/work-observer.ts';
import type { Statement } from '../connection/statement.ts';
import { statementName } from '../connection/statement-name.ts';
import { type CopiedOut, copyOut } from './copy-out.ts';
import type { NodePool, StatementObserver } from './node-pools.ts';

/** Where statements are sent, and who observes them. */
export type Sending = {
  readonly pool: NodePool;
  readonly onStatement: StatementObserver;
  /** Called when each statement begins and ends. */
  readonly onWork?: WorkObserver;
};

export function sendStatement(
  client: PoolClient,
  { query, text, values, name }: Statement,
  sending: Sending,
): Promise<QueryResult> {
  sending.onStatement(text);
  return observed(query, sending, () => {
    if (!values) return client.query(text);
    const isNamed = name !== undefined && !sending.pool.pooler.losesStatements;
    const named = isNamed && { name: statementName(name, text) };
    return client.query({ text, values: [...values], ...named });
  });
}

/** Returns the output of `COPY (…) TO STDOUT`. */
export const sendCopy = async (
  client: PoolClient,
  copy: Pick<Statement, 'query' | 'text'>,
  sending: Sending,
): Promise<Buffer> => (await sendCopyText(client, copy, sending)).bytes;

/** The same, with a statement before it in one round trip, whose results are also returned. */
export const sendCopyAfter = (
  client: PoolClient,
  before: Statement,
  { text, ...copy }: Pick<Statement, 'query' | 'text'>,
  sending: Sending,
): Promise<CopiedOut> =>
  sendCopyText(client, { ...copy, text: `${before.text}; ${text}` }, sending);

function sendCopyText(
  client: PoolClient,
  { query, text }: Pick<Statement, 'query' | 'text'>,
  sending: Sending,
): Promise<CopiedOut> {
  sending.onStatement(text);
  return observed(query, sending, () => copyOut(client, text));
}

function observed<T>(
  query: string | undefined,
  { onWork = unobserved }: Sending,
  send: () => Promise<T>,
): Promise<T> {
  const end = onWork('statement', query ?? 'other');
  const sent = send();
  // Observes the promise without wrapping it, so that observing delays nobody.
  sent.then(() => end(), end);
  return sent;
}
