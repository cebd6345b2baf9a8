import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceError } from '../domain/errors.ts';
import { LIMITS } from '../domain/limits.ts';

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

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Exchange {
  const url = new URL(`http://localhost${originForm(request.url)}`);
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the caller has gone'));
  });
  return {
    ...{ request, response, requestId },
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
  // Left early, the request would take its connection along, and the answer with it.
  const rest: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of rest) {
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
export async function send(exchange: Exchange, answer: Answer): Promise<void> {
  const { request, response, method } = exchange;
  // Closed with input unread, a connection is reset, and the caller may never see the answer.
  if (!(await discardRest(request))) response.setHeader('connection', 'close');
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-length': Buffer.byteLength(answer.body),
  });
  response.end(method === 'HEAD' ? undefined : answer.body);
}

/** Reads what is left of the body and forgets it. False: that was too much, or took too long. */
async function discardRest(request: IncomingMessage): Promise<boolean> {
  if (request.complete || request.destroyed) return request.complete;
  return new Promise((resolve) => {
    let bytes = 0;
    const settle = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', settle).off('close', settle).pause();
      resolve(request.complete);
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LIMITS.discardedBodyBytes) settle();
    };
    const timer = setTimeout(settle, LIMITS.discardMs);
    request.on('data', count).on('end', settle).on('close', settle).resume();
  });
}
