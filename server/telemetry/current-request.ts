import type { RequestSpan } from './tracing.ts';

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
