import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Rendered } from '../../resolvers/loaders/session/request-reads.ts';
import type { Visit } from '../admission/door.ts';
import { type CurrentRequest, nameOf } from '../telemetry/current-request.ts';
import type { Logger } from '../telemetry/log.ts';

/** One request and its answer, with what every route wants to know of them. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What is known of it, for its log line, metrics and trace. */
  readonly current: CurrentRequest;
  /** Each of its lines names the request. */
  readonly log: Logger;
  readonly method: string;
  readonly path: string;
  /** Whether it was written so: neither steps such as `..` nor slashes were left out. */
  readonly isPathAsWritten: boolean;
  readonly query: URLSearchParams;
  /** Aborted when the caller goes before the answer is out. */
  readonly signal: AbortSignal;
  /** Whether there is room for the request, and how log-ins are met. */
  readonly gate: Visit;
  /** After so long without taking any of its answer the caller is cut off. */
  readonly slowCallerMs: number;
};

/** Why work is given up whose caller did not wait for it: no failure, and nobody is told. */
export class CallerGone extends Error {
  constructor() {
    super('the caller has gone');
    this.name = 'CallerGone';
  }
}

type ExchangeTerms = Pick<Exchange, 'log' | 'gate' | 'slowCallerMs'> & {
  readonly requestId: string;
};

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, log, ...terms }: ExchangeTerms,
): Exchange {
  const written = (request.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const url = new URL(`http://localhost${originForm(request.url)}`);
  // Whoever reads the request itself (Yoga makes an address of these two) reads the same, and no
  // host that is none brings it down: nothing depends on the host.
  request.url = url.pathname + url.search;
  request.headers.host = url.host;
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new CallerGone());
  });
  const current: CurrentRequest = {
    requestId,
    span: null,
    user: null,
    operation: null,
    streamOpened: null,
  };
  let named: Logger | null = null;
  return {
    request,
    response,
    current,
    ...terms,
    // Most requests have nothing to say in between.
    get log() {
      named ??= log.child(nameOf(current));
      return named;
    },
    method: request.method ?? 'GET',
    path: url.pathname,
    isPathAsWritten: written === url.pathname,
    query: url.searchParams,
    signal: gone.signal,
  };
}

/**
 * A request line may hold anything. Of an address as for proxies (RFC 9112, 3.2.2) the path counts;
 * what has none asks for the root.
 */
function originForm(target = '/'): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^\/*/, '/');
  return target.startsWith('/') || /^https?:/i.test(target) ? path : '/';
}

/** The whole body. Errors: 413 past the limit; what was sent is not read any further. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) refuse();
      else chunks.push(chunk);
    };
    const finish = () => settle(() => resolve(Buffer.concat(chunks)));
    const fail = (error: Error) => settle(() => reject(error));
    const refuse = () => fail(serviceError('bodyTooLarge', { limit: limitBytes }));
    const leave = () => fail(new CallerGone());
    // Events, and no iterator, which costs more promises than a small body has chunks.
    const settle = (tell: () => void) => {
      request.off('data', take).off('end', finish).off('error', fail).off('close', leave).pause();
      tell();
    };
    if (request.destroyed) leave();
    else if (Number(request.headers['content-length'] ?? 0) > limitBytes) refuse();
    else request.on('data', take).on('end', finish).on('error', fail).on('close', leave);
  });
}

export type Answer = Rendered;

/** HEAD is GET without the body. */
export async function send(exchange: Exchange, answer: Answer): Promise<void> {
  const { request, response, method } = exchange;
  // Closed with input unread, a connection is reset, and the caller may never see the answer.
  if (!(await discardRest(request))) response.setHeader('connection', 'close');
  // The work is done, and what remains is the caller's part.
  response.setTimeout(exchange.slowCallerMs);
  response.writeHead(answer.status, {
    ...answer.headers,
    // RFC 9110, 8.6: a 304 would have to name the length of what it does not send.
    ...(answer.status !== 304 && { 'content-length': Buffer.byteLength(answer.body) }),
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
