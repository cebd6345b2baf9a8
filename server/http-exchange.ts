import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceError } from '../domain/errors.ts';

/** One request and its answer, with what every route wants to know of them. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborted when the caller goes before the answer is out. */
  readonly signal: AbortSignal;
};

export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const url = new URL(`http://localhost${originForm(request.url)}`);
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the caller has gone'));
  });
  return {
    ...{ request, response },
    requestId: randomUUID(),
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    signal: gone.signal,
  };
}

/** A request line may hold anything; what is no path is answered as one that is not there. */
const originForm = (url: string | undefined): string =>
  url?.startsWith('/') ? url.replace(/^\/+/, '/') : '/';

/** The whole body. Errors: 413 past the limit; what was sent is not read any further. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const tooLarge = () => serviceError('bodyTooLarge', { limit: limitBytes });
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
};

/** HEAD is GET without the body. */
export function send({ request, response, method }: Exchange, answer: Answer): void {
  // A body that nobody will read would be taken for the connection's next request.
  if (!request.complete && method !== 'GET') response.setHeader('connection', 'close');
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-length': Buffer.byteLength(answer.body),
  });
  response.end(method === 'HEAD' ? undefined : answer.body);
}
