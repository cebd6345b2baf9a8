import type { VersionedRow } from '../../db/sql/versions.ts';
import type { GrantedContext } from '../../resolvers/callers/identity.ts';
import type { RequestedSubscription } from '../../schema/documents/requested-subscription.ts';
import type { Answer } from '../http/http-exchange.ts';
import type { OperationRequest } from './run-operation.ts';

/** A subscription that is valid and within the limits, of a caller who has logged in. */
export type OpenedSubscription = {
  /** The same for all callers that send the same operation and variables. */
  readonly name: string;
  readonly operation: OperationRequest;
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

/** What Yoga leaves to other code: a subscription to open, or the body of an answer in JSON. */
export type AnswerSlot = {
  opened: OpenedSubscription | null;
  body: Answer['body'] | null;
};
