import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rendered } from '../../resolvers/loaders/request-reads.ts';
import type { PageSession } from '../../resolvers/request-scope.ts';
import type { HeaderSource } from '../../schema/documents/credentials.ts';
import type { RequestAdmission } from '../admission/admission-control.ts';
import type { UnreadAnswer } from '../connections/unread-answers.ts';
import type { Logger } from '../telemetry/log.ts';
import { type CurrentRequest, nameOf } from '../telemetry/tracing.ts';

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
  /** Who uses the page that sent the request, as its cookie or a proxy says; null: neither does. */
  readonly session: PageSession | null;
  /** Aborted when the caller disconnects before the response is sent. */
  readonly signal: AbortSignal;
  /** When its headers had arrived, on the clock of `performance.now()`. */
  readonly arrivedAt: number;
  /** Admission of the request, and of its log-in. */
  readonly throttle: RequestAdmission;
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

type ExchangeTerms = Pick<Exchange, 'log' | 'throttle' | 'unread' | 'slowCallerMs' | 'session'> & {
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
    // Only after the signal is aborted, so that an answer that waits for its turn gives up first.
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
      terms.throttle.leave();
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

/** Wraps headers so that `get` finds them by lower-case name and returns text, as in `Headers`. */
export const headersOf = ({ headers }: IncomingMessage): HeaderSource => ({
  get(name: string): string | null {
    const value = headers[name];
    return (Array.isArray(value) ? value.join(', ') : value) ?? null;
  },
});

export type Answer = Rendered;
