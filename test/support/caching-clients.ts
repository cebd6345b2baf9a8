import { ApolloClient, gql, HttpLink, type InMemoryCache } from '@apollo/client';
import { Client, type Exchange, fetchExchange } from '@urql/core';

/** A frontend's client as far as the tests of its cache need it. Data are without `__typename`. */
export type CachingClient = {
  /** What the cache has, or the server answers; `asked` has more requests then. */
  ask(document: string): Promise<unknown>;
  /** What the server answers now, whatever the cache has. */
  refetch(document: string): Promise<unknown>;
  /** What the cache has of it; null: not all. */
  known(document: string): unknown;
  /** How many requests it sent so far. */
  asked(): number;
};

export type Server = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

const SECONDS = 10;

/** Counts requests, and gives up on those of queries that make each other be sent again and again. */
function countedFetch() {
  let count = 0;
  const counted: typeof fetch = (input, init) => {
    count += 1;
    return fetch(input, { ...init, signal: AbortSignal.timeout(SECONDS * 1000) });
  };
  return { counted, asked: () => count };
}

export function apolloClient(server: Server, cache: InMemoryCache): CachingClient {
  const { counted, asked } = countedFetch();
  const link = new HttpLink({ uri: server.url, headers: { ...server.headers }, fetch: counted });
  const client = new ApolloClient({ cache, link });
  const query = async (document: string, fetchPolicy: 'cache-first' | 'network-only') =>
    plain((await client.query({ query: gql(document), fetchPolicy })).data);
  return {
    ask: (document) => query(document, 'cache-first'),
    refetch: (document) => query(document, 'network-only'),
    known: (document) => plain(client.readQuery({ query: gql(document) })),
    asked,
  };
}

export function urqlClient(server: Server, cache: Exchange): CachingClient {
  const { counted, asked } = countedFetch();
  const client = new Client({
    url: server.url,
    fetchOptions: { headers: { ...server.headers } },
    fetch: counted,
    preferGetMethod: false,
    exchanges: [cache, fetchExchange],
  });
  const query = async (
    document: string,
    requestPolicy: 'cache-first' | 'cache-only' | 'network-only',
  ) => {
    const { data, error } = await client.query(document, {}, { requestPolicy }).toPromise();
    if (error) throw error;
    return plain(data);
  };
  return {
    ask: (document) => query(document, 'cache-first'),
    refetch: (document) => query(document, 'network-only'),
    known: (document) => query(document, 'cache-only'),
    asked,
  };
}

/** As the server sent it; null of nothing. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (name, field: unknown) =>
      name === '__typename' ? undefined : field,
    ),
  );
}
