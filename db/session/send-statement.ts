import type { PoolClient, QueryResult } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { unobserved, type WorkObserver } from '../../domain/work-observer.ts';
import type { Statement } from '../connection/statement.ts';
import { statementName } from '../connection/statement-name.ts';
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
export function sendCopy(
  client: PoolClient,
  { query, text }: Pick<Statement, 'query' | 'text'>,
  sending: Sending,
): Promise<Buffer> {
  sending.onStatement(text);
  return observed(query, sending, () => collect(client.query(copyTo(text))));
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

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
