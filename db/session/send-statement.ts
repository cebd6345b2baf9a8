import { createHash } from 'node:crypto';
import { type ClientBase, type PoolClient, Query, type QueryResult } from 'pg';
import { unobserved, type WorkObserver } from '../../domain/work-observer.ts';
import type { Statement } from '../connection/statement.ts';
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
const sendCopyAfter = (
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

const names = new Map<string, string>();

/**
 * Returns the name under which a statement is prepared, with a digest of its text. Without the
 * digest, a statement that another version of this program prepared under the same name would run
 * instead, behind a pooler.
 */
function statementName(name: string, text: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const full = `${name} ${digest}`;
  names.set(name, full);
  return full;
}

/** The output of a `COPY (…) TO STDOUT`, and the results of the statements before it. */
type CopiedOut = { readonly bytes: Buffer; readonly before: readonly QueryResult[] };

/**
 * Sends a text that ends with a `COPY (…) TO STDOUT` and collects its output. Statements before the
 * COPY cost no round trip of their own.
 */
export async function copyOut(client: ClientBase, text: string): Promise<CopiedOut> {
  const { query, results } = await sent(client, text);
  return { bytes: query.takeBytes(), before: [results].flat().slice(0, -1) };
}

type Results = QueryResult | readonly QueryResult[];

type Sent = { readonly query: CopyOutQuery; readonly results: Results };

const sent = (client: ClientBase, text: string): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const query = new CopyOutQuery(text, (error, results) => {
      if (error) reject(error);
      else resolve({ query, results });
    });
    client.query(query);
  });

type Callback = (error: Error | undefined, results: Results) => void;

/** A query of pg that keeps the output of a COPY, which pg's own ignores. */
class CopyOutQuery extends Query {
  #chunks: Buffer[] = [];

  constructor(text: string, callback: Callback) {
    super(text, callback);
  }

  /** Called by pg for each row. The chunk is part of a buffer that pg uses again. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#chunks.push(Buffer.from(chunk));
  }

  takeBytes(): Buffer {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return bytes;
  }
}
