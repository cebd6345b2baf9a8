import { malformed } from '../../domain/errors.ts';
import {
  editableContexts,
  findContext,
  grantedContexts,
  signedIn,
} from '../../resolvers/contexts.ts';
import { builder } from '../builder.ts';
import { ContextRef, ViewerRef } from '../refs.ts';

builder.objectType(ViewerRef, {
  description: 'Who is asking.',
  authScopes: { signedIn: true },
  fields: (t) => ({
    username: t.exposeString('username', { description: 'The name you signed in with.' }),
    isAdmin: t.exposeBoolean('isAdmin', {
      description:
        'Whether you are an administrator: who may use `users`, `audit` and their mutations.',
    }),
    contexts: t.field({
      type: [ContextRef],
      description: 'The contexts you may read, by name.',
      resolve: (_viewer, _args, scope) => grantedContexts(scope),
    }),
    editableContexts: t.field({
      type: [ContextRef],
      description: 'The contexts in which you have the role `editor`: there you may use mutations.',
      resolve: (_viewer, _args, scope) => editableContexts(scope),
    }),
  }),
});

builder.queryFields((t) => ({
  viewer: t.field({
    type: ViewerRef,
    description: 'Who is asking, and the contexts they may read.',
    authScopes: { signedIn: true },
    resolve: (_root, _args, scope) => signedIn(scope),
  }),
  contexts: t.field({
    type: [ContextRef],
    description: 'The contexts you may read, by name, as the primary or a shared standby has them.',
    authScopes: { signedIn: true },
    resolve: (_root, _args, scope) => grantedContexts(scope),
  }),
  context: t.field({
    type: ContextRef,
    nullable: true,
    description: 'One context by name; null when there is none, or none that you may see.',
    authScopes: { signedIn: true },
    args: {
      name: t.arg.string({ required: true, description: 'Name of the context.' }),
      destinationNode: t.arg.string({
        description: 'Name of the node to read from; default: the primary, or a shared standby.',
      }),
      fromDr: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to read from the disaster-recovery node.',
      }),
    },
    resolve(_root, { name, destinationNode, fromDr }, scope) {
      if (destinationNode != null && fromDr) {
        throw malformed('destinationNode', 'left out when fromDr is true', destinationNode);
      }
      return findContext(scope, name, { destinationNode: destinationNode ?? null, fromDr });
    },
  }),
}));
