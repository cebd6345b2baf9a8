import type { IncomingHttpHeaders } from 'node:http';
import type { WorkObserver } from '../../domain/work-observer.ts';

/** The span of one request. */
export type RequestSpan = {
  readonly traceId: string;
  end(outcome: { readonly status: number; readonly operation: string | null }): void;
};

/** Traces requests and the work within them. */
export type Tracing = {
  /** Starts the span of a request, within the trace that its `traceparent` names. */
  startRequest(request: {
    readonly method: string;
    readonly route: string;
    readonly requestId: string;
    readonly headers: IncomingHttpHeaders;
  }): RequestSpan;
  /** Runs a request's work, so that the work reported to `onWork` meanwhile is part of its span. */
  within<T>(span: RequestSpan, work: () => T): T;
  /** Creates the spans of the work within a request. */
  readonly onWork: WorkObserver;
  /** Sends the spans that were not sent yet. */
  close(): Promise<void>;
};

/** What all code that runs for a request knows about it; some of it becomes known on the way. */
export type CurrentRequest = {
  readonly requestId: string;
  /** The address of the caller, also behind a trusted proxy. */
  readonly from: string;
  /** null: not traced. */
  span: RequestSpan | null;
  /** The user, once the log-in has succeeded. */
  user: string | null;
  /** The name under which a GraphQL operation is counted. */
  operation: string | null;
  /** Call it when the request turns out to be answered with a stream; null: it cannot be. */
  streamOpened: (() => void) | null;
};

/** Returns the fields that identify a request in each of its log lines. */
export const nameOf = ({ requestId, span }: CurrentRequest): object =>
  span ? { requestId, traceId: span.traceId } : { requestId };
