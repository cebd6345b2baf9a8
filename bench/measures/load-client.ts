import { type Dispatcher, errors, Pool } from 'undici';

export type LoadRequest = {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Several addresses, because the server accepts at most half of its connections from one. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];

/** Per address. With more, an overload would run out of ports instead of overloading the server. */
const MAX_CONNECTIONS = 500;

export type LoadClient = {
  /** Returns the status of a completely received answer, or an error code. */
  ask(asked: LoadRequest): Promise<string>;
  close(): Promise<void>;
};

/**
 * Opens a client with one connection for each request in progress. It shares the machine with the
 * server, so it is undici's, which takes half the CPU time of `node:http`.
 */
export function openLoadClient(url: string): LoadClient {
  const pools = ADDRESSES.map(
    (localAddress) => new Pool(url, { connections: MAX_CONNECTIONS, pipelining: 1, localAddress }),
  );
  let asked = 0;
  return {
    async ask({ method, path, headers, body = null }) {
      asked += 1;
      const pool = pools[asked % pools.length] as Pool;
      try {
        const answer = await pool.request({ method, path, headers, body });
        await answer.body.dump({ limit: Number.POSITIVE_INFINITY });
        return String(answer.statusCode);
      } catch (error) {
        if (error instanceof errors.UndiciError) return error.code;
        if (error instanceof Error && 'code' in error) return String(error.code);
        throw error;
      }
    },
    close: async () => void (await Promise.all(pools.map((pool) => pool.destroy()))),
  };
}
