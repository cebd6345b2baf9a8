import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type HttpClient = {
  /** The body of an answer that must be a 200. */
  get(path: string): Promise<string>;
  post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<string>;
  close(): void;
};

/** A client with one connection, which it keeps: its requests go one after the other. */
export function createHttpClient(url: string): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = (path: string, method: string, headers = {}, body = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = request(url + path, { agent, method, headers }, (response) => {
        text(response).then((answer) => {
          if (response.statusCode === 200) resolve(answer);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
        }, reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  return {
    get: (path) => call(path, 'GET'),
    post: (path, headers, body) => call(path, 'POST', headers, body),
    close: () => agent.destroy(),
  };
}
