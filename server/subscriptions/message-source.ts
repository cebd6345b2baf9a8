import type { ServiceError } from '../../domain/errors.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';

/** Messages in order, each the source of the subscription's field, and the cursor after them. */
export type Messages = {
  readonly cursor: string;
  readonly roots: readonly unknown[];
  /** Whether more messages follow already. */
  readonly hasMore: boolean;
};

/** The cursor cannot be continued; its streams end with this error. */
export type MessagesOver = { readonly over: ServiceError };

/**
 * Reads the messages of a context after a cursor; null: the first messages of a new stream. They
 * are sent once to each stream with that cursor.
 */
export type MessageSource = (
  scope: RequestScope,
  contextName: string,
  after: string | null,
) => Promise<Messages | MessagesOver>;
