import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../../domain/limits.ts';
import { byteLength } from '../../domain/text/long-text.ts';
import type { Rendered } from '../../resolvers/loaders/request-reads.ts';
import type { RequestAdmission } from '../admission/admission-control.ts';
import { askForBody, closeUnasked, isWaiting } from '../connections/expectation.ts';
import type { UnreadAnswer } from '../connections/unread-answers.ts';
import { type CurrentRequest, nameOf } from '../telemetry/current-request.ts';
import type { Logger } from '../telemetry/log.ts';
import { collectorFor, requireReadable } from './body-collector.ts';
import { writeBody } from './write-body.ts';

/** One request and its response, with what every route needs to know about them. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What is known about the request, for its log line, metrics and trace. */
  readonly current: CurrentRequest;
  /** A logger that names the request in each line. */
  readonly log: Logger;
  readonly method: string;
  readonly path: string;
  /**
   * Whether the path is exactly as sent: no `..` segments or repeated slashes were normalized away.
   */
  readonly isPathAsWritten: boolean;
  readonly query: URLSearchParams;
  /** Aborted when the caller disconnects before the response is sent. */
  readonly signal: AbortSignal;
  /** When its headers had arrived, on the clock of `performance.now()`. */
  readonly arrivedAt: number;
  /** Admission of the request, and of its log-in. */
  readonly gate: RequestAdmission;
  /** The bytes of the response that the caller has not taken. */
  readonly unread: UnreadAnswer;
  /** Waits until the answer may be rendered. Meanwhile the request holds no permit. */
  readonly waitForReaders: (signal: AbortSignal) => Promise<void>;
  /** A caller that reads none of its response for this long is disconnected. */
  readonly slowCallerMs: number;
};

/** The reason for aborting work whose caller has gone. It is not a failure, and not reported. */
export class CallerGone extends Error {
  constructor() {
    super('the caller has gone');
    this.name = 'CallerGone';
  }
}

type ExchangeTerms = Pick<Exchange, 'log' | 'gate' | 'unread' | 'slowCallerMs'> & {
  readonly requestId: string;
  /** The address of the caller. */
  readonly from: string;
};

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, from, log, ...terms }: ExchangeTerms,
): Exchange {
  const written = (request.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const url = new URL(`http://localhost${originForm(request.url)}`);
  // Code that reads the request itself (Yoga builds a URL from these two) sees the same values. An
  // invalid host cannot make it fail, and nothing depends on the host.
  request.url = url.pathname + url.search;
  request.headers.host = url.host;
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new CallerGone());
    // After that: an answer that waits for its turn has given up by now.
    terms.unread.close();
  });
  const current: CurrentRequest = {
    requestId,
    from,
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
    arrivedAt: performance.now(),
    async waitForReaders(signal) {
      terms.gate.leave();
      await terms.unread.turn(signal);
    },
    ...terms,
    // Created on first use, since most requests log nothing before they end.
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
 * Returns a request target in origin form. A request line may contain anything. In an absolute URL,
 * as for proxies (RFC 9112, 3.2.2), only the path counts; a target without a path means the root.
 */
function originForm(target = '/'): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/^\/*/, '/');
  return target.startsWith('/') || /^https?:/i.test(target) ? path : '/';
}

/**
 * Reads the whole body, decompressed. If the client waits until it is asked for the body, it is
 * asked once `mayAsk` has resolved. Errors: that of `mayAsk`, 413 beyond the limit, 415 for an
 * encoding other than gzip, 400 for damaged gzip; the rest of the body is not read.
 */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  mayAsk?: () => Promise<unknown>,
): Promise<Buffer> {
  if (!isWaiting(request)) return collect(request, limitBytes);
  requireReadable(request, limitBytes);
  await mayAsk?.();
  askForBody(request);
  return collect(request, limitBytes);
}

function collect(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => settle(() => reject(error));
    const body = collectorFor(request, limitBytes, {
      done: (bytes) => settle(() => resolve(bytes)),
      fail,
    });
    const leave = () => fail(new CallerGone());
    const finish = () => {
      // Node closes a request that was read completely, while its last bytes may still be inflated.
      request.off('close', leave);
      body.end();
    };
    // Events instead of an iterator, which costs more promises than a small body has chunks.
    const settle = (tell: () => void) => {
      const { take } = body;
      request.off('data', take).off('end', finish).off('error', fail).off('close', leave).pause();
      body.stop();
      tell();
    };
    if (request.destroyed) leave();
    else request.on('data', body.take).on('end', finish).on('error', fail).on('close', leave);
  });
}

export type Answer = Rendered;

/** Sends a response. HEAD is GET without the body. */
export async function send(exchange: Exchange, answer: Answer): Promise<void> {
  const { request, response, method } = exchange;
  if (isWaiting(request)) closeUnasked(request, response);
  // A connection closed with unread input is reset, and the caller may never see the response.
  else if (!(await discardRest(request))) response.setHeader('connection', 'close');
  // The work is done; from here on only the caller can be slow.
  response.setTimeout(exchange.slowCallerMs);
  response.writeHead(answer.status, {
    ...answer.headers,
    // RFC 9110, 8.6: a 304 would have to name the length of the body that it does not send.
    ...(answer.status !== 304 && { 'content-length': byteLength(answer.body) }),
  });
  writeBody(response, method === 'HEAD' ? '' : answer.body, exchange.unread);
}

/** Reads and discards the rest of the body. False: it was too large, or took too long. */
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
