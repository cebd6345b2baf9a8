import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type HttpCall = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
  /** Aborting it closes the connection, as a client that goes away does. */
  readonly signal?: AbortSignal;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/** Sends a request unaltered: `fetch` refuses some that a server must withstand. */
export function httpCall(url: string, call: HttpCall = {}): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, agent, signal } = call;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers: { ...length, ...headers },
        ...(agent && { agent }),
        ...(signal && { signal }),
      },
      (response) => {
        const { statusCode: status = 0, headers: received } = response;
        text(response).then((body) => resolve({ status, headers: received, text: body }), reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
