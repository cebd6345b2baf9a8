import { TOKEN, USER } from './declaration.ts';
import { createHttpClient } from './http-client.ts';

export type GraphClient = {
  /** Returns the data of an answer. Errors: the answer has errors. */
  ask<Data>(query: string, variables: object): Promise<Data>;
  close(): void;
};

const HEADERS = {
  authorization: `Basic ${Buffer.from(`${USER}:${TOKEN}`).toString('base64')}`,
  'content-type': 'application/json',
};

/** Asks one question after another on one connection. */
export function createGraphClient(url: string): GraphClient {
  const client = createHttpClient(url);
  return {
    async ask<Data>(query: string, variables: object): Promise<Data> {
      const text = await client.post('/graphql', HEADERS, JSON.stringify({ query, variables }));
      const body: { readonly data?: Data; readonly errors?: object } = JSON.parse(text);
      if (body.data === undefined || body.errors) throw new Error(`no answer to ${query}: ${text}`);
      return body.data;
    },
    close: client.close,
  };
}
