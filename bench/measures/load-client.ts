import { type Dispatcher, errors, Pool } from 'undici';

export type LoadRequest = {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Beyond it a crowd would be short of ports and not of a server. */
const MAX_CONNECTIONS = 2_000;

export type LoadClient = {
  /** The status of an answer that was received to its end, or what went wrong. */
  ask(asked: LoadRequest): Promise<string>;
  close(): Promise<void>;
};

/**
 * A client with as many connections as requests under way. It shares the machine with the server,
 * so it is one that takes little: a third of what `node:http` does.
 */
export function openLoadClient(url: string): LoadClient {
  const pool = new Pool(url, { connections: MAX_CONNECTIONS, pipelining: 1 });
  return {
    async ask({ method, path, headers, body = null }) {
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
    close: () => pool.destroy(),
  };
}
