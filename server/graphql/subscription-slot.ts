import type { DocumentNode } from 'graphql';
import type { VersionedRow } from '../../db/queries/select-versions.ts';
import type { GrantedContext } from '../../resolvers/callers/identity.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { RequestedSubscription } from '../../schema/documents/requested-subscription.ts';

/** An operation to execute, with the variables as they were sent. */
export type RequestedOperation = {
  readonly document: DocumentNode;
  readonly operationName: string | null;
  readonly variables: Variables;
};

/** A subscription that is valid and within the limits, of a caller who has logged in. */
export type OpenedSubscription = {
  /** The same for all callers that send the same operation and variables. */
  readonly name: string;
  readonly operation: RequestedOperation;
  /** Number of characters of the document and its variables. */
  readonly characters: number;
  readonly requested: RequestedSubscription;
  readonly username: string;
  readonly granted: GrantedContext;
  /** Whether the node that answers grants it. If not, a stand-in for the primary does. */
  readonly isConfirmed: boolean;
  /** The context's versions on the primary when the caller was looked up; null: unknown. */
  readonly versions: VersionedRow | null;
};

/** Holds a subscription that will be answered with a stream. */
export type SubscriptionSlot = { opened: OpenedSubscription | null };
