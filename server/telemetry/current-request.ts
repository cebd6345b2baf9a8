import type { RequestSpan } from './tracing.ts';

/** What is known of a request by all that runs for it; some of it becomes known on the way. */
export type CurrentRequest = {
  readonly requestId: string;
  /** null: not traced. */
  span: RequestSpan | null;
  /** Who asks, once they have proved it. */
  user: string | null;
  /** The name under which a GraphQL operation is counted. */
  operation: string | null;
  /** To be called when it is found to be answered by a stream; null: it cannot be. */
  streamOpened: (() => void) | null;
};

/** What each line of the log that is written for a request says of it. */
export const nameOf = ({ requestId, span }: CurrentRequest): object =>
  span ? { requestId, traceId: span.traceId } : { requestId };
