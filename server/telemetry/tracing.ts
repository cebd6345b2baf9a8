import type { IncomingHttpHeaders } from 'node:http';
import type { WorkObserver } from '../../domain/work-observer.ts';

/** One request as a trace has it. */
export type RequestSpan = {
  readonly traceId: string;
  end(outcome: { readonly status: number; readonly operation: string | null }): void;
};

/** Where requests and the work in them are traced to. */
export type Tracing = {
  /** Begins the span of a request, within the trace that its `traceparent` names. */
  startRequest(request: {
    readonly method: string;
    readonly route: string;
    readonly requestId: string;
    readonly headers: IncomingHttpHeaders;
  }): RequestSpan;
  /** Does a request's work, so that what `onWork` is told of meanwhile is part of it. */
  within<T>(span: RequestSpan, work: () => T): T;
  /** Spans of the work within a request. */
  readonly onWork: WorkObserver;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
};
