import { ApolloClient, gql, HttpLink, type InMemoryCache } from '@apollo/client';
import { Client, type Exchange, fetchExchange } from '@urql/core';

/** The part of a frontend's client that cache tests need. Data come without `__typename`. */
export type CachingClient = {
  /** Answers from the cache, or else from the server, which raises `asked`. */
  ask(document: string): Promise<unknown>;
  /** Asks the server, whatever the cache has. */
  refetch(document: string): Promise<unknown>;
  /** Answers from the cache alone; null: some of the data are missing. */
  known(document: string): unknown;
  /** The number of requests sent so far. */
  asked(): number;
};

export type Server = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

const SECONDS = 10;

/** Counts requests, and aborts them after a while: some queries make each other refetch forever. */
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

/** The data as the server sent them; null if there are none. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (name, field: unknown) =>
      name === '__typename' ? undefined : field,
    ),
  );
}
