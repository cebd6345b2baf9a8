import { type ServiceError, serviceError } from '../domain/errors.ts';
import type { RequestScope } from '../resolvers/request-scope.ts';

/** What fields and types may require of the caller. */
export type AuthScopes = {
  /** Decision 11: everything but introspection needs it. */
  signedIn: boolean;
  /** The name of a context that must be granted to the caller. */
  granted: string;
  /** The caller must be an administrator. */
  admin: boolean;
};

type Asker = Pick<RequestScope, 'identity'>;

export const isSignedIn = ({ identity }: Asker): boolean => identity !== null;

export const isGranted = ({ identity }: Asker, contextName: string): boolean =>
  identity?.mayRead(contextName) ?? false;

export const isAdmin = ({ identity }: Asker): boolean => identity?.isAdmin ?? false;

/** Returns the error for a caller without the required scopes. */
export const outOfScope = ({ identity }: Asker): ServiceError =>
  identity
    ? serviceError('notAllowed', { username: identity.username, context: 'of this object' })
    : serviceError('invalidToken');
