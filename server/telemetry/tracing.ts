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
