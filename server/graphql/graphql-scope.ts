import { identify } from '../../resolvers/callers/identify.ts';
import type { AnonymousScope, RequestScope } from '../../resolvers/request-scope.ts';
import { type HeaderSource, readCredentials } from '../../schema/documents/credentials.ts';
import type { ScopeRequest } from '../service/service.ts';
import type { AnswerSlot } from './answer-slot.ts';

/** What the HTTP layer passes to each GraphQL request. */
export type GraphQLServerContext = {
  readonly anonymous: AnonymousScope;
  /** Yoga's own context has a `request`, so it cannot be called that. */
  readonly exchange: Pick<ScopeRequest, 'current' | 'log' | 'signal'>;
  readonly slot: AnswerSlot;
};

/** Decision 11: wrong credentials fail the whole request; without any, only the schema is open. */
export async function openGraphQLScope(
  headers: HeaderSource,
  anonymous: AnonymousScope,
): Promise<RequestScope> {
  const credentials = readCredentials(headers);
  if (!credentials) return { ...anonymous, identity: null };
  const standIns = anonymous.directory.all();
  return { ...anonymous, identity: await identify(anonymous, credentials, standIns) };
}
