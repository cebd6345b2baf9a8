import { removeView, saveView, starView } from '../../resolvers/changes/change-views.ts';
import { builder } from '../builder.ts';
import { changingField } from '../changing-field.ts';
import { SavedViewRef } from '../refs.ts';

builder.objectType(SavedViewRef, {
  description: 'A view of the dashboard that a user has saved under a name.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name; no other view of its owner has it.' }),
    owner: t.exposeString('owner', { description: 'The user who saved it.' }),
    isOwn: t.exposeBoolean('isOwn', { description: 'Whether it is yours.' }),
    address: t.exposeString('address', {
      description:
        'The query part of its address, `?…`. The dashboard opens it in the context of the view, whatever context it names.',
    }),
    shared: t.exposeBoolean('shared', {
      description: 'Whether all who see all of the context see it.',
    }),
    live: t.exposeBoolean('live', {
      description: 'Whether it follows the data once it is open.',
    }),
    starred: t.exposeBoolean('starred', {
      description: 'Whether the dashboard opens the context with it, for you.',
    }),
    created: t.expose('created', { type: 'EpochSeconds', description: 'When it was saved first.' }),
    changed: t.expose('changed', {
      type: 'EpochSeconds',
      description: 'When it was changed last.',
    }),
  }),
});

/** Changes of saved views, for all who read the context. */
builder.mutationFields((t) => {
  const context = t.arg.string({ required: true, description: 'Name of the context.' });
  const name = t.arg.string({
    required: true,
    description: 'The name of the view, at most 100 characters.',
  });
  return {
    saveView: t.field({
      type: SavedViewRef,
      nullable: true,
      description:
        'Saves a view of the dashboard under a name, in place of your view of that name. What is left out or null stays as it is, and is false in a new view. null: there is no such context, or you may not see it.',
      authScopes: { signedIn: true },
      args: {
        context,
        name,
        address: t.arg.string({
          description:
            'What the view shows: the part of an address of the dashboard that begins with `?`, at most 8,000 characters. A new view needs one.',
        }),
        newName: t.arg.string({ description: 'Another name that it gets.' }),
        shared: t.arg.boolean({
          description:
            'Whether all who see all of the context see it, too. Who sees a part of it only cannot share.',
        }),
        live: t.arg.boolean({ description: 'Whether it follows the data once it is open.' }),
        starred: t.arg.boolean({
          description:
            'Whether the dashboard opens the context with it, in place of the view that had the star.',
        }),
      },
      resolve: (_root, { address, newName, shared, live, starred, ...given }, scope, info) =>
        saveView(changingField(scope, info), {
          ...given,
          address: address ?? null,
          newName: newName ?? null,
          shared: shared ?? null,
          live: live ?? null,
          starred: starred ?? null,
        }),
    }),
    removeView: t.boolean({
      nullable: true,
      description: 'Removes a view of yours. Returns true; null: you have none of that name.',
      authScopes: { signedIn: true },
      args: { context, name },
      resolve: (_root, given, scope, info) => removeView(changingField(scope, info), given),
    }),
    starView: t.field({
      type: SavedViewRef,
      nullable: true,
      description:
        'Makes a view, yours or one that is shared, the one with which the dashboard opens the context for you, or takes that back. null: you see no such view.',
      authScopes: { signedIn: true },
      args: {
        context,
        name,
        owner: t.arg.string({ description: 'Whose view it is; null: yours.' }),
        starred: t.arg.boolean({ required: true, description: 'Whether it has the star.' }),
      },
      resolve: (_root, { owner, ...given }, scope, info) =>
        starView(changingField(scope, info), { ...given, owner: owner ?? null }),
    }),
  };
});
