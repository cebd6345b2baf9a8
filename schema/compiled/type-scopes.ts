import { type GraphQLSchema, isObjectType } from 'graphql';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { type AuthScopes, isGranted, isSignedIn, outOfScope } from '../scopes.ts';

/** Errors: whoever asks may not see the object. */
export type TypeGuard = (object: unknown, scope: RequestScope) => void;

/**
 * The scopes that object types ask for, by type. Pothos asks for them in `isTypeOf`, once for each
 * object of a list; these are the same functions without what it takes to call them there. Errors:
 * a type asks for something else.
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

/** Any of them is enough, as it is for Pothos. */
const passes = ({ signedIn = false, granted }: Partial<AuthScopes>, scope: RequestScope): boolean =>
  (signedIn && isSignedIn(scope)) || (granted !== undefined && isGranted(scope, granted));
