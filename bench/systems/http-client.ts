import { Client, type Dispatcher } from 'undici';

export type HttpClient = {
  /** Returns the body of an answer. Errors: an answer other than 200. */
  get(path: string): Promise<string>;
  post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<string>;
  close(): void;
};

/**
 * Opens a client that keeps one connection and sends one request after another. Its own time counts
 * as the server's, so it is undici's, which takes little.
 */
export function createHttpClient(url: string): HttpClient {
  const client = new Client(url, { pipelining: 1 });
  const call = async (asked: Dispatcher.RequestOptions): Promise<string> => {
    const { statusCode, body } = await client.request(asked);
    const answer = await body.text();
    if (statusCode === 200) return answer;
    throw new Error(`${asked.method} ${asked.path}: ${statusCode} ${answer}`);
  };
  return {
    get: (path) => call({ path, method: 'GET' }),
    post: (path, headers, body) => call({ path, method: 'POST', headers, body }),
    close: () => void client.destroy(),
  };
}
