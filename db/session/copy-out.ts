import { type ClientBase, Query, type QueryResult } from 'pg';

/** The output of a `COPY (…) TO STDOUT`, and the results of the statements before it. */
export type CopiedOut = { readonly bytes: Buffer; readonly before: readonly QueryResult[] };

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
