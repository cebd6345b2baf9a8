import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestSpan } from './tracing.ts';

/** What is known of a request by all that runs for it; some of it becomes known on the way. */
export type CurrentRequest = {
  readonly requestId: string;
  /** null: not traced. */
  readonly span: RequestSpan | null;
  /** Who asks, once they have proved it. */
  user: string | null;
  /** The name under which a GraphQL operation is counted. */
  operation: string | null;
};

/** The request that the running code works for. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();
