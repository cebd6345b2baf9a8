import { type Dispatcher, errors, Pool } from 'undici';

export type LoadRequest = {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A crowd comes from many addresses: of one the server takes no more than half its connections. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];

/** Of each; beyond it a crowd would be short of ports and not of a server. */
const MAX_CONNECTIONS = 500;

export type LoadClient = {
  /** The status of an answer that was received to its end, or what went wrong. */
  ask(asked: LoadRequest): Promise<string>;
  close(): Promise<void>;
};

/**
 * A client with as many connections as requests under way. It shares the machine with the server,
 * so it is one that takes little: half of what that of `node:http` does.
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
