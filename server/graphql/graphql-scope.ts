import type { VersionedRow } from '../../db/sql/versions.ts';
import { ServiceError, serviceError } from '../../domain/errors.ts';
import { type Credentials, identify, identifyBy } from '../../resolvers/callers/identify.ts';
import type { GrantedContext, Identity } from '../../resolvers/callers/identity.ts';
import { addVouchedUser } from '../../resolvers/loaders/changes.ts';
import type { Claim, PageClaim } from '../../resolvers/loaders/request-reads.ts';
import type { AnonymousScope, RequestScope } from '../../resolvers/request-scope.ts';
import { type HeaderSource, readCredentials } from '../../schema/documents/credentials.ts';
import type { RequestedSubscription } from '../../schema/documents/requested-subscription.ts';
import { type Answer, type Exchange, headersOf } from '../http/http-exchange.ts';
import type { ScopeRequest, Service } from '../service/service.ts';
import { withScope } from '../service/with-scope.ts';
import type { OperationRequest } from './run-operation.ts';

/** What the HTTP layer passes to each GraphQL request. */
export type GraphQLServerContext = {
  readonly anonymous: AnonymousScope;
  /** Yoga's own context has a `request`, so it cannot be called that. */
  readonly exchange: Pick<ScopeRequest, 'current' | 'log' | 'signal'>;
  readonly slot: AnswerSlot;
};

/**
 * Decision 11: wrong credentials fail the whole request; without any, only the schema is open. The
 * session of a page counts where there are no others. Error: `sessionElsewhere`.
 */
export async function openGraphQLScope(
  headers: HeaderSource,
  anonymous: AnonymousScope,
): Promise<RequestScope> {
  const { session } = anonymous;
  const credentials = readCredentials(headers);
  if (credentials || !session) return openTokenScope(credentials, anonymous);
  if (session.sentBy !== 'own page') throw serviceError('sessionElsewhere');
  return { ...anonymous, identity: await identifySession(anonymous, session.claim) };
}

/** Opens the scope of a caller with these credentials; null: of nobody. */
export async function openTokenScope(
  credentials: Credentials | null,
  anonymous: AnonymousScope,
): Promise<RequestScope> {
  if (!credentials) return { ...anonymous, identity: null };
  const fallbackNodes = anonymous.directory.all();
  return { ...anonymous, identity: await identify(anonymous, credentials, fallbackNodes) };
}

/** Returns who has a session, or whom a proxy names; null: the session has ended. */
export async function identifySession(
  anonymous: AnonymousScope,
  claim: PageClaim,
): Promise<Identity | null> {
  const known = await identifyPage(anonymous, claim);
  if (known || !('vouched' in claim)) return known;
  try {
    await addVouchedUser(anonymous.reads, { username: claim.vouched, from: anonymous.from });
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'readOnly') return null;
    throw error;
  }
  return identifyPage(anonymous, claim);
}

async function identifyPage(anonymous: AnonymousScope, claim: PageClaim): Promise<Identity | null> {
  try {
    return await identifyBy(anonymous, { ...claim, slicesOf: null }, anonymous.directory.all());
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'invalidToken') return null;
    throw error;
  }
}

/** A subscription that is valid and within the limits, of a caller who has logged in. */
export type OpenedSubscription = {
  /** The same for all callers that send the same operation and variables. */
  readonly name: string;
  readonly operation: OperationRequest;
  /** Number of characters of the document and its variables. */
  readonly characters: number;
  readonly requested: RequestedSubscription;
  readonly username: string;
  readonly claim: Claim;
  readonly tokenDigest: Buffer | null;
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

/**
 * Returns a function that checks whether a request for a page has credentials, in the form that
 * GraphQL takes, or a session. A page changes nothing, and no other page can read it. Errors:
 * `invalidToken` if the credentials are wrong, `tooManyFailures`, and those of the database.
 */
export const signedInTest =
  (service: Service) =>
  (exchange: Exchange): Promise<boolean> =>
    withScope(service, exchange, service.settings.queryTimeoutSeconds, async (anonymous) => {
      const { session } = anonymous;
      const credentials = readCredentials(headersOf(exchange.request));
      if (!credentials && session) {
        return (await identifySession(anonymous, session.claim)) !== null;
      }
      return (await openTokenScope(credentials, anonymous)).identity !== null;
    });
