import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type { Guid } from '../domain/text/guid.ts';
import { decodeGlobalId, encodeGlobalId } from './global-id.ts';
import type { OperationScope } from './operation-scope.ts';
import { type AuthScopes, isAdmin, isGranted, isSignedIn, outOfScope } from './scopes.ts';

export type SchemaTypes = {
  Context: OperationScope;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    EpochSeconds: { Input: number; Output: number };
    BigInt: { Input: bigint; Output: bigint | number };
    Guid: { Input: Guid; Output: Guid };
  };
  AuthScopes: AuthScopes;
};

/**
 * scope-auth is first in the list, so that it checks before anything else runs. Services return
 * only granted contexts; the scopes on every type below a context are the second line of defence.
 */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, RelayPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: (scope) => ({
      signedIn: isSignedIn(scope),
      admin: isAdmin(scope),
      granted: (contextName: string) => isGranted(scope, contextName),
    }),
    runScopesOnType: true,
    unauthorizedError: (_parent, scope) => outOfScope(scope),
  },
  relay: {
    encodeGlobalID: encodeGlobalId,
    decodeGlobalID: decodeGlobalId,
    brandLoadedObjects: true,
    idFieldOptions: { description: 'Identifies the object in `node(id:)` and in client caches.' },
    nodeTypeOptions: { description: 'An object that can be fetched by its id.' },
    nodeQueryOptions: {
      description: 'The object with this id; null when there is none, or none that you may see.',
      authScopes: { signedIn: true },
      args: { id: { description: 'The `id` of an object, as returned.' } },
    },
    nodesQueryOptions: {
      description:
        'The objects with these ids, in the given order; null for each that does not exist.',
      authScopes: { signedIn: true },
      args: { ids: { description: 'The `id`s of objects, as returned.' } },
    },
    pageInfoTypeOptions: { description: 'The position of a page within the whole list.' },
    hasNextPageFieldOptions: { description: 'Whether there are items after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether there are items before this page.' },
    startCursorFieldOptions: { description: 'Cursor of the first item; null for an empty page.' },
    endCursorFieldOptions: {
      description: 'Cursor of the last item, for `after` of the next page; null for an empty page.',
    },
  },
});

builder.queryType({ description: 'Toppers, counter groups, slices and keys of your contexts.' });
