import { type GraphQLSchema, isObjectType } from 'graphql';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { type AuthScopes, isAdmin, isGranted, isSignedIn, outOfScope } from '../scopes.ts';

/** Errors: the caller may not see the object. */
export type TypeGuard = (object: unknown, scope: RequestScope) => void;

/**
 * Returns guards for the scopes that object types require, by type. Pothos checks the scopes in
 * `isTypeOf`, once for each object of a list; these guards use the same functions without that
 * overhead. Errors: a type requires something else.
 */
export function typeGuards(schema: GraphQLSchema): ReadonlyMap<string, TypeGuard> {
  const guards = new Map<string, TypeGuard>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !type.isTypeOf) continue;
    const scopes = scopesOf(type.extensions['pothosOptions']);
    if (!scopes) throw new Error(`${type.name} has an isTypeOf that asks for more than its scopes`);
    guards.set(type.name, (object, scope) => {
      if (!passes(scopes(object), scope)) throw outOfScope(scope);
    });
  }
  return guards;
}

type ScopesOf = (object: unknown) => Partial<AuthScopes>;

function scopesOf(options: unknown): ScopesOf | null {
  const { authScopes, isTypeOf } = options as { authScopes?: unknown; isTypeOf?: unknown };
  if (isTypeOf || !authScopes) return null;
  return typeof authScopes === 'function' ? (authScopes as ScopesOf) : () => authScopes;
}

/** Any one of them is enough, as in Pothos. */
const passes = (
  { signedIn = false, admin = false, granted }: Partial<AuthScopes>,
  scope: RequestScope,
): boolean =>
  (signedIn && isSignedIn(scope)) ||
  (admin && isAdmin(scope)) ||
  (granted !== undefined && isGranted(scope, granted));
