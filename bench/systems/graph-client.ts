import { TOKEN, USER } from './declaration.ts';
import { createHttpClient } from './http-client.ts';

export type GraphClient = {
  /** Returns the data of an answer. Errors: the answer has errors. */
  ask<Data>(query: string, variables: object): Promise<Data>;
  close(): void;
};

/** Asks one question after another on one connection. All users have the same token. */
export function createGraphClient(url: string, user = USER): GraphClient {
  const client = createHttpClient(url);
  const headers = {
    authorization: `Basic ${Buffer.from(`${user}:${TOKEN}`).toString('base64')}`,
    'content-type': 'application/json',
  };
  return {
    async ask<Data>(query: string, variables: object): Promise<Data> {
      const text = await client.post('/graphql', headers, JSON.stringify({ query, variables }));
      const body: { readonly data?: Data; readonly errors?: object } = JSON.parse(text);
      if (body.data === undefined || body.errors) throw new Error(`no answer to ${query}: ${text}`);
      return body.data;
    },
    close: client.close,
  };
}
